"""Allows what an authorization URL asks: the page's form over HTTP, with a personal access token as proof of
identity, as in an environment that has no browser.

    consent.py URL        the token on standard input; prints where the redirect leads

Needs nothing but Python, so that clients in any language can be driven with it.
"""

import sys
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, build_opener


class Form(HTMLParser):
    """The page's one form that has a field of this name: where it goes, and what it sends untouched."""

    def __init__(self, html, field):
        super().__init__()
        self.forms = []
        self.feed(html)
        forms = [form for form in self.forms if field in form["names"]]
        assert len(forms) == 1, f"{len(forms)} forms have a field {field}"
        self.action = forms[0]["action"]
        self.fields = forms[0]["fields"]
        self.offered = forms[0]["offered"]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "form":
            self.forms.append({"action": attrs["action"], "names": set(), "fields": {}, "offered": []})
        elif tag == "input" and self.forms and "name" in attrs:
            form = self.forms[-1]
            form["names"].add(attrs["name"])
            kind = attrs.get("type")
            if kind == "hidden":
                form["fields"][attrs["name"]] = attrs["value"]
            elif kind == "checkbox":
                form["offered"].append(attrs["value"])
                if "checked" in attrs:
                    form["fields"].setdefault(attrs["name"], []).append(attrs["value"])


class Stay(HTTPRedirectHandler):
    """The redirect is the answer; it is not followed."""

    def redirect_request(self, *_):
        return None


def send(http, url, fields):
    """Sends a form; the answer's status and where it leads, if anywhere."""
    try:
        with http.open(url, urlencode(fields, doseq=True).encode(), timeout=30) as answer:
            return answer.status, answer.headers.get("location")
    except HTTPError as answer:
        with answer:
            return answer.code, answer.headers.get("location")


def consent(url, token):
    """Gets the page, fills in its form and sends it; the answer's status and where it leads, if anywhere."""
    http = build_opener(Stay, HTTPCookieProcessor(CookieJar()))
    with http.open(url, timeout=30) as page:
        form = Form(page.read().decode(), "personal_access_token")
    return send(http, urljoin(url, form.action), form.fields | {"personal_access_token": token, "decision": "allow"})


def signed_in_consent(url, email, password, scopes):
    """Signs in on the page and allows exactly these scopes; where that leads, and which scopes were offered."""
    http = build_opener(Stay, HTTPCookieProcessor(CookieJar()))
    with http.open(url, timeout=30) as page:
        form = Form(page.read().decode(), "password")
    status, back = send(http, urljoin(url, form.action), form.fields | {"email": email, "password": password})
    assert status == 303, status
    with http.open(urljoin(url, back), timeout=30) as page:
        form = Form(page.read().decode(), "transaction")
    status, location = send(http, urljoin(url, form.action), form.fields | {"scope": scopes, "decision": "allow"})
    assert status == 303, status
    return location, form.offered


def main():
    status, location = consent(sys.argv[1], sys.stdin.read().strip())
    if status != 303 or not location:
        sys.exit(f"the form was answered {status}")
    print(location)


if __name__ == "__main__":
    main()
