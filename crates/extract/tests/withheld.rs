//! What a publisher withholds is no article, whatever status it comes with.
#![allow(clippy::unwrap_used, missing_docs)]

use releve_extract::{Envelope, ExtractError, PageRules, Rules, extract};

fn read(body: &str) -> Result<usize, ExtractError> {
    let page = format!(
        "<html><head><title>Protected: A memo</title></head><body><h1>A memo</h1>{body}</body></html>"
    );
    let address = "https://www.example.org/memo".parse().unwrap();
    let envelope =
        Envelope { bytes: page.as_bytes(), content_type: "text/html; charset=utf-8", address: &address };
    extract(&envelope, &Rules::Page(PageRules::default())).map(|article| article.blocks.len())
}

#[test]
fn r12_a_page_that_asks_for_a_password_is_not_the_article() {
    let form = "<form class='wide post-password-form' method='post'><p>This content is password protected. To view \
                it please enter your password below:</p><input name='post_password' type='password'></form>";
    let refused = read(form).unwrap_err();
    assert_eq!(refused.code(), "protected", "{refused}");
    // An article may write about the form, and a page may offer its readers to log in.
    let text = "<p>The class of the form is post-password-form, and a theme may style it as it likes.</p>";
    assert!(read(text).is_ok());
    assert!(read(&format!("{text}<form class='login'><input type='password'></form>")).is_ok());
}
