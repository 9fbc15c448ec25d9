#![allow(warnings)]
use releve_extract::*;
use std::time::Instant;
fn main() {
    // args: format file...
    let args: Vec<String> = std::env::args().skip(1).collect();
    let fmt = &args[0];
    let verbose = std::env::var("V").is_ok();
    for f in &args[1..] {
        let bytes = std::fs::read(f).unwrap();
        let address = "https://www.example.org/page".parse().unwrap();
        let env = Envelope { bytes: &bytes, content_type: "application/json", address: &address };
        let rules = if fmt == "wp" {
            Rules::WordPress(WordPressRules::default())
        } else {
            Rules::Json(JsonRules {
                body: Some(BodyRule { at: "/body".parse().unwrap(), format: fmt.parse().unwrap() }),
                ..Default::default()
            })
        };
        let t = Instant::now();
        let r = extract(&env, &rules);
        let d = t.elapsed().as_secs_f64() * 1e3;
        let hwm = std::fs::read_to_string("/proc/self/status")
            .unwrap()
            .lines()
            .find(|l| l.starts_with("VmHWM"))
            .unwrap()
            .to_string();
        match &r {
            Ok(a) => {
                println!(
                    "{} {} B {:.1} ms {} blocks {} rt {}",
                    f.rsplit('/').next().unwrap(),
                    bytes.len(),
                    d,
                    hwm,
                    a.blocks.len(),
                    Article::from_json(&a.to_json()).as_ref() == Ok(a)
                );
                if verbose {
                    println!("{}\n--", a.to_markdown());
                    for n in &a.notices {
                        println!("  NOTICE {n}");
                    }
                    for o in &a.descriptor.others {
                        println!("  other {} {} {}", o.field, o.value.text, o.value.place);
                    }
                }
            }
            Err(e) => println!(
                "{} {} B {:.1} ms {hwm} ERR {} {e}",
                f.rsplit('/').next().unwrap(),
                bytes.len(),
                d,
                e.code()
            ),
        }
    }
}
