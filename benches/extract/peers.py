"""The peers: each takes the bytes of a page and its address, and gives the fields that the scorer knows."""
from importlib.metadata import version

BLOCKS = "address article aside blockquote dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul br"


def lines(html):
    """The text of an HTML fragment with a line for each block: glued words would count against the peer, not for us."""
    from lxml import html as parser

    if not html or not html.strip():
        return ""
    top = parser.fromstring(html)
    for node in top.iter(*BLOCKS.split()):
        node.tail = "\n" + (node.tail or "")
        node.text = "\n" + (node.text or "")
    return top.text_content()


def trafilatura():
    from trafilatura import bare_extraction

    def read(page, address):
        found = bare_extraction(page, url=address, with_metadata=True, include_comments=False)
        if found is None:
            return {}
        return {
            "text": found.text,
            "title": found.title,
            "authors": [name.strip() for name in (found.author or "").split(";") if name.strip()],
            "published": found.date,
            "standfirst": found.description,
        }

    return read


def readability_lxml():
    from readability import Document

    def read(page, _):
        document = Document(page.decode("utf-8", "replace"))
        return {"text": lines(document.summary(html_partial=True)), "title": document.short_title()}

    return read


def newspaper4k():
    import newspaper

    def read(page, address):
        article = newspaper.Article(address, fetch_images=False)
        article.download(input_html=page.decode("utf-8", "replace"))
        article.parse()
        return {
            "text": article.text,
            "title": article.title,
            "authors": article.authors,
            "published": article.publish_date.isoformat() if article.publish_date else None,
            "language": article.meta_lang,
            "canonical": article.canonical_link,
            "standfirst": article.meta_description,
        }

    return read


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    def read(page, _):
        tree = HTMLTree.parse(bytes_to_str(page, detect_encoding(page)))
        return {"text": extract_plain_text(tree, main_content=True), "title": tree.title}

    return read


PEERS = {
    "trafilatura": trafilatura,
    "readability-lxml": readability_lxml,
    "newspaper4k": newspaper4k,
    "resiliparse": resiliparse,
}


def title(name):
    return f"{name} {version(name)}"
