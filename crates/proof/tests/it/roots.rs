//! Sets of roots.

use releve_proof::{RootSet, Sha256};

use crate::lab::Chain;

#[test]
fn the_current_list_can_be_read_and_comes_back_from_its_pem() {
    let current = RootSet::current().unwrap();
    assert!(current.certificates().len() > 100, "{current:?}");
    assert_eq!(current.anchors().len(), current.certificates().len());
    assert!(current.is_current());
    let pem = current.to_pem();
    assert_eq!(current.digest(), Sha256::of(pem.as_bytes()));
    let sealed = RootSet::from_pem(current.name(), pem.as_bytes()).unwrap();
    assert_eq!(sealed.to_pem(), pem);
    assert!(!sealed.is_current());
}

#[test]
fn a_set_has_one_form_whatever_it_was_made_of() {
    let [one, other] = [(); 2].map(|()| Chain::new().sign().root);
    let set = RootSet::from_der("a", [one.clone(), other.clone()]).unwrap();
    let turned = RootSet::from_der("a", [other.clone(), one.clone(), other.clone()]).unwrap();
    assert_eq!(set.digest(), turned.digest());
    assert_ne!(set.digest(), RootSet::from_der("a", [one.clone()]).unwrap().digest());
    assert!(set.contains(&one) && set.contains(&other) && !set.contains(b""));
    let annotated = format!("# the first root\r\n{}\n# the end\n", set.to_pem().replace('\n', "\r\n"));
    assert_eq!(RootSet::from_pem("b", annotated.as_bytes()).unwrap().digest(), set.digest());
}

#[test]
fn what_is_no_set_of_roots_is_refused() {
    let root = Chain::new().sign().root;
    let certificate = "-----BEGIN CERTIFICATE-----\n";
    let rows = [
        (RootSet::from_der("", [root.clone()]), "the name must be"),
        (RootSet::from_der("a\nb", [root.clone()]), "the name must be"),
        (RootSet::from_der(&"a".repeat(101), [root]), "the name must be"),
        (RootSet::from_pem("a", b""), "1 to 1000 certificates"),
        (RootSet::from_pem("a", certificate.as_bytes()), "not PEM"),
        (
            RootSet::from_pem("a", format!("{certificate}AAAA\n-----END CERTIFICATE-----\n").as_bytes()),
            "cannot be read",
        ),
    ];
    for (set, expected) in rows {
        let error = set.unwrap_err();
        assert_eq!(error.code(), "roots-malformed");
        assert!(error.to_string().contains(expected), "{error}");
    }
}
