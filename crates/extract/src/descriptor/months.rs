//! The names of the months, as dates are written out by publishers.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names and abbreviations by month, lower case, without a final dot. A name that stands for different months in
/// two languages (`listopad`: October in Croatian, November in Polish and Czech) is left out: a date written with it
/// is not recognised.
const MONTHS: [&str; 12] = [
    "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari janvāris sausio stycznia styczeń sty ledna leden januára január januára \
     januarja siječnja januara ianuarie ian tammikuuta tammikuu tammik ocak oca января январь янв січня січень ιανουαρίου ιανουάριος ιαν януари \
     január jaanuar gener urtarrila ינואר يناير",
    "february feb februar februari feber februa février févr fév febrero febbraio fevereiro fev lutego luty únor února februára február februarja \
     veljače februarie helmikuuta helmikuu helmik şubat şub февраля февраль фев лютого φεβρουαρίου φεβρουάριος φεβ февруари veebruar febrer פברואר فبراير \
     vasario februāris",
    "march mar märz mrz mär mars marzo março maart marec marca marzec března březen brez ožujka marta martie maaliskuuta maaliskuu maalisk mart марта март мар \
     березня μαρτίου μάρτιος márc március märts març מרץ مارس kovo marts mrt mart",
    "april apr avril avr abril abr aprile aprílie kwietnia kwiecień kwi dubna duben apríla apríl aprila travnja aprilie huhtikuuta huhtikuu huhtik nisan nis апреля \
     апрель апр квітня απριλίου απρίλιος απρ април ápr április aprill אפריל أبريل ابريل balandžio aprīlis",
    "may mai mayo maggio mag maio mei maj maja května květen mája máj svibnja toukokuuta toukokuu toukok mayıs мая май травня μαΐου μάιος μαϊ május maig \
     מאי مايو gegužės maijs",
    "june jun juni juin junio giugno giu junho czerwca czerwiec cze června červen júna jún junija lipnja iunie kesäkuuta kesäkuu kesäk haziran haz июня июнь июн червня \
     ιουνίου ιούνιος ιουν юни június juuni juny יוני يونيو يونيه birželio jūnijs",
    "july jul juli juillet juil julio luglio lug julho lipca lipiec července červenec júla júl julija iulie heinäkuuta heinäkuu heinäk temmuz tem июля июль июл липня \
     ιουλίου ιούλιος ιουλ юли július juuli juliol יולי يوليو يوليه liepos jūlijs",
    "august aug août aou agosto ago ags sierpnia sierpień sie srpna augusta kolovoza augustus elokuuta elokuu elok ağustos ağu августа август авг серпня αυγούστου \
     αύγουστος αυγ augusztus agost אוגוסט أغسطس اغسطس rugpjūčio augusts avgusta",
    "september sept sep septembre septiembre set settembre sett setembro września wrzesień wrz září septembra rujna septembrie syyskuuta syyskuu syysk eylül eyl сентября \
     сентябрь сен вересня σεπτεμβρίου σεπτέμβριος σεπ септември szeptember szept setembre ספטמבר سبتمبر rugsėjo septembris",
    "october oct oktober okt octobre octubre ottobre ott outubro out października październik paź října říjen októbra október oktobra octombrie lokakuuta \
     lokakuu lokak ekim eki октября октябрь окт жовтня οκτωβρίου οκτώβριος οκτ октомври oktoober אוקטובר أكتوبر اكتوبر spalio oktobris",
    "november nov novembre noviembre novembro novembra studenog studenoga studenoga noiembrie marraskuuta marraskuu marrask kasım kas ноября ноябрь ноя листопада νοεμβρίου \
     νοέμβριος νοε ноември נובמבר نوفمبر lapkričio novembris",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia grudzień gru prosince prosinec decembra prosinca decembrie joulukuuta joulukuu jouluk \
     aralık ara декабря декабрь дек грудня δεκεμβρίου δεκέμβριος δεκ декември desember des detsember desembre דצמבר ديسمبر gruodžio decembris",
];

static BY_NAME: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut months = HashMap::new();
    for (month, names) in (1..).zip(MONTHS) {
        for name in names.split_whitespace() {
            months.entry(name).or_insert(month);
        }
    }
    months
});

/// The month with this name (any case, without its final dot), 1 to 12.
pub(super) fn month(name: &str) -> Option<u8> {
    BY_NAME.get(&*name.to_lowercase()).copied()
}
