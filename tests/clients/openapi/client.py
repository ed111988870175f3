"""Real OpenAPI documents and the requests that Portero makes of them, both read anew.

Nothing of Portero's reading is used: documents are parsed and references followed here, and every request is taken
apart by the styles of the document until it says again what the arguments said. What the document's own schemas say
about the values is asked of openapi-schema-validator.
"""

import json
import re
import sys
from collections import Counter
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import unquote

import yaml
from openapi_schema_validator import OAS30Validator, OAS30WriteValidator, OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
IGNORED = {"accept", "content-type", "authorization"}
OWNED = {"cookie", "host", "idempotency-key", "x-request-id"}
STYLES = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
counts = Counter()


class Loader(yaml.CSafeLoader):
    """YAML 1.2 where it differs in what documents say: dates are text, and only two words are booleans."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if not tag.endswith((":timestamp", ":bool"))]
    for first, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false|True|False)$"), list("tfTF"))


class Mismatch(Exception):
    pass


def want(condition, *says):
    if not condition:
        raise Mismatch(" ".join(str(part) for part in says)[:600])


def keys_as_text(value):
    """Status codes are numbers to YAML."""
    if isinstance(value, dict):
        return {str(key): keys_as_text(own) for key, own in value.items()}
    return [keys_as_text(own) for own in value] if isinstance(value, list) else value


class Document:
    def __init__(self, path):
        text = Path(path).read_text()
        self.root = json.loads(text) if path.endswith(".json") else keys_as_text(yaml.load(text, Loader))
        self.is_3_1 = self.root["openapi"].startswith("3.1")
        self.registry = Registry().with_resource("urn:document", Resource(self.root, DRAFT202012))
        schemes = self.root.get("components", {}).get("securitySchemes", {}).values()
        self.keys = {(own["in"], own["name"].lower()) for own in schemes if own.get("type") == "apiKey"}

    def at(self, pointer):
        node = self.root
        for part in pointer.removeprefix("#").split("/")[1:]:
            part = unquote(part).replace("~1", "/").replace("~0", "~")
            node = node[int(part)] if isinstance(node, list) else node[part]
        return node

    def follow(self, node, pointer):
        """What a reference leads to, and where that is."""
        while isinstance(node, dict) and "$ref" in node:
            pointer = node["$ref"]
            node = self.at(pointer)
        return node, pointer

    def operations(self):
        for path, item in self.root.get("paths", {}).items():
            at = "#/paths/" + path.replace("~", "~0").replace("/", "~1")
            item, at = self.follow(item, at)
            for method in METHODS:
                if method in item:
                    yield (method.upper(), path), item, item[method], at

    def parameters(self, item, operation, method, at):
        """The parameters that count, by place and name: the operation's stand over its item's."""
        found = {}
        for owner, where in [(item, at), (operation, f"{at}/{method.lower()}")]:
            own = {}
            for index, node in enumerate(owner.get("parameters", [])):
                node, pointer = self.follow(node, f"{where}/parameters/{index}")
                name = node["name"].lower() if node["in"] == "header" else node["name"]
                own.setdefault((node["in"], name), (node, pointer))
            found.update(own)
        kept = {}
        for (location, name), own in found.items():
            skipped = location == "header" and name in IGNORED | OWNED
            if not skipped and (location, name.lower()) not in self.keys:
                kept[location, name] = own
        return kept

    def check(self, value, pointer, what):
        """A value against a schema of the document. A pattern that Python cannot read is no fault of the value."""
        schema = {"$ref": "urn:document" + quoted(pointer)}
        # only properties can be read-only
        of_3_0 = OAS30WriteValidator if "/requestBod" in pointer else OAS30Validator
        validator = (OAS31Validator if self.is_3_1 else of_3_0)(schema, registry=self.registry)
        error = next(iter(validator.iter_errors(value)), None)
        want(error is None, what, "against", pointer, error and error.message)
        counts["values checked against their schemas"] += 1


def quoted(pointer):
    return pointer.replace("%", "%25") if "%" in pointer and "%7B" not in pointer else pointer


def text(value):
    """A value as a request can say it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def flat(value):
    """The same with text at its ends, as styles without brackets say it; null says nothing."""
    if isinstance(value, list):
        return [text(own) for own in value if own is not None]
    if isinstance(value, dict):
        return {key: text(own) for key, own in value.items() if own is not None}
    return text(value)


def listed(parts, like, exploded):
    """Parts between delimiters, as an array, an object or one value."""
    parts = [unquote(part) if not isinstance(like, dict) or not exploded else part for part in parts]
    if isinstance(like, list):
        return parts
    if isinstance(like, dict):
        if exploded:
            return {unquote(key): unquote(own) for key, own in (part.split("=", 1) for part in parts)}
        want(len(parts) % 2 == 0, "an odd number of names and values", parts)
        return dict(zip(parts[::2], parts[1::2]))
    want(len(parts) == 1, "several values for one", parts)
    return parts[0]


def of_path(raw, parameter, argument):
    style, explode = parameter.get("style", "simple"), parameter.get("explode", False)
    if style == "label":
        want(raw.startswith("."), "no label", raw)
        return listed(raw[1:].split("." if explode else ","), argument, explode)
    if style == "matrix":
        want(raw.startswith(";"), "no matrix", raw)
        pairs = [part.partition("=")[::2] for part in raw[1:].split(";")]
        if explode and isinstance(argument, dict):
            return {unquote(key): unquote(own) for key, own in pairs}
        want(all(unquote(key) == parameter["name"] for key, _ in pairs), "another name", raw)
        if explode and isinstance(argument, list):
            return [unquote(own) for _, own in pairs]
        want(len(pairs) == 1, "several", raw)
        return listed(pairs[0][1].split(","), argument, False)
    return listed(raw.split(",") if isinstance(argument, (list, dict)) else [raw], argument, explode)


def bracketed(pairs):
    """`name[a][0]=x` as a tree; keys that count from 0 make a list."""
    tree = {}
    for path, own in pairs:
        node = tree
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = own

    def lists(node):
        if not isinstance(node, dict):
            return node
        node = {key: lists(own) for key, own in node.items()}
        return list(node.values()) if list(node) == [str(index) for index in range(len(node))] else node

    return lists(tree)


def deep_text(value):
    if isinstance(value, dict):
        return {key: deep_text(own) for key, own in value.items() if own is not None}
    return [deep_text(own) for own in value if own is not None] if isinstance(value, list) else text(value)


def take(pairs, name, style, explode, argument):
    """Takes what belongs to a name out of the raw pairs of a query, a cookie or a form."""
    plain = [(key, own) for key, own in pairs if unquote(key) == name]
    if style == "deepObject" and isinstance(argument, (dict, list)):
        pattern = re.compile(re.escape(name) + r"((?:\[[^\]]*\])+)$")
        mine = [(key, own, pattern.match(unquote(key))) for key, own in pairs]
        mine = [(key, own, match[1][1:-1].split("][")) for key, own, match in mine if match]
        for key, own, _ in mine:
            pairs.remove((key, own))
        return bracketed((path, unquote(own)) for _, own, path in mine)
    if explode and isinstance(argument, dict):
        found = {}
        for key in argument:
            for pair in [pair for pair in pairs if unquote(pair[0]) == key][:1]:
                pairs.remove(pair)
                found[key] = unquote(pair[1])
        return found
    for pair in plain:
        pairs.remove(pair)
    if explode and isinstance(argument, list):
        return [unquote(own) for _, own in plain]
    want(len(plain) <= 1, name, "stands there more than once")
    if not plain:
        return [] if isinstance(argument, list) else {}
    between = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}.get(style, ",")
    raw = plain[0][1]
    return listed(raw.split(between) if isinstance(argument, (list, dict)) else [raw], argument, False)


def raw_pairs(query, between):
    return [tuple(part.partition("=")[::2]) for part in query.split(between)] if query else []


class Call:
    def __init__(self, document, operation, read, call):
        (self.method, self.path), self.item, self.operation, self.at = operation
        self.document, self.read = document, read
        self.arguments, self.request = call["arguments"], call["request"]
        self.left = dict(self.arguments)

    def check(self):
        want("refused" not in self.request, self.request.get("refused"))
        want(self.request["method"] == self.method, "another method", self.request["method"])
        parameters = self.document.parameters(self.item, self.operation, self.method, self.at)
        in_path = set(re.findall(r"\{([^}]+)\}", self.path))
        kept = {key: own for key, own in parameters.items() if key[0] != "path" or key[1] in in_path}
        named = {
            (own["in"], own["name"].lower() if own["in"] == "header" else own["name"]): own["argument"]
            for own in self.read["parameters"]
        }
        undescribed = {("path", name) for name in in_path} - set(kept)
        want(set(named) == set(kept) | undescribed, "other parameters:", set(named) ^ set(kept))
        self.check_path(named, kept)
        target, _, query = self.request["target"].partition("?")
        want("#" not in self.request["target"], "a fragment")
        pairs = raw_pairs(query, "&")
        for pair in raw_pairs(self.path.partition("#")[0].partition("?")[2], "&"):
            pairs.remove(pair)
        headers = {name: value for name, value in self.request["headers"]}
        want(len(headers) == len(self.request["headers"]), "a header twice")
        cookies = raw_pairs(headers.pop("cookie", ""), "; ")
        self.check_accept(headers.pop("accept", None))
        for (location, name), (parameter, pointer) in kept.items():
            argument = named[location, name]
            if location == "path":
                continue
            if argument not in self.left:
                want(not parameter.get("required"), argument, "is required")
            else:
                self.check_parameter(parameter, pointer, self.left.pop(argument), (pairs, headers, cookies))
        want(not pairs and not headers and not cookies, "nobody asked for", pairs, headers, cookies)
        self.check_body()
        want(not self.left, "nowhere:", self.left)
        counts["requests"] += 1

    def check_path(self, named, kept):
        path = self.path.partition("#")[0].partition("?")[0]
        names = re.findall(r"\{([^}]+)\}", path)
        # what the document writes is compared without its escapes
        pieces = re.split(r"\{[^}]+\}", path)
        pattern = "([^/?#]+)".join(re.escape(piece) for piece in pieces)
        raw = self.request["target"].partition("?")[0]
        found = re.fullmatch(pattern, raw) or re.fullmatch(pattern, raw.replace("%20", " "))
        want(found, "another path:", raw)
        segments = [unquote(segment) for segment in raw.split("/")]
        want("." not in segments and ".." not in segments, "a way up", raw)
        values = {}
        for name, own in zip(names, found.groups()):
            want(values.setdefault(name, own) == own, name, "has two values")
        for name, raw in values.items():
            argument = self.left.pop(named["path", name], None)
            want(argument is not None, name, "comes from nowhere")
            parameter, pointer = kept.get(("path", name), ({"name": name}, None))
            if "content" in parameter:
                want(json.loads(unquote(raw)) == argument, name, "is", raw)
            else:
                want(of_path(raw, parameter, argument) == flat(argument), name, "is", raw, "of", argument)
            self.count(parameter, "path")
            if pointer:
                self.check_schema(parameter, pointer, argument)

    def check_schema(self, parameter, pointer, argument):
        if parameter.get("allowEmptyValue") and argument == "":
            return
        if "schema" in parameter:
            self.document.check(argument, f"{pointer}/schema", parameter["name"])
        elif "content" in parameter:
            media = next(iter(parameter["content"]))
            if "schema" in parameter["content"][media]:
                media = media.replace("/", "~1")
                self.document.check(argument, f"{pointer}/content/{media}/schema", parameter["name"])

    def check_parameter(self, parameter, pointer, argument, places):
        pairs, headers, cookies = places
        name, location = parameter["name"], parameter["in"]
        style = parameter.get("style", STYLES[location])
        explode = parameter.get("explode", style in ("form", "deepObject"))
        if "content" in parameter:
            own = {"query": pairs, "cookie": cookies}.get(location)
            raw = headers.pop(name.lower()) if own is None else unquote(take(own, name, "form", False, ""))
            want(json.loads(raw) == argument, name, "is", raw)
        elif location == "header":
            raw = headers.pop(name.lower(), None)
            want(raw is not None or argument in ([], {}, None), name, "is missing")
            if isinstance(argument, list):
                want((raw or "").split(",") == flat(argument) or not argument, name, "is", raw)
            elif isinstance(argument, dict):
                parts = raw.split(",")
                own = dict(part.split("=", 1) for part in parts) if explode else dict(zip(parts[::2], parts[1::2]))
                want(own == flat(argument), name, "is", raw)
            else:
                want(raw == text(argument), name, "is", raw)
        else:
            found = take(pairs if location == "query" else cookies, name, style, explode, argument)
            expected = deep_text(argument) if style == "deepObject" else flat(argument)
            want(found == expected or (argument is None and not found), name, "is", found, "of", argument)
        self.count(parameter, location)
        if argument is not None:
            self.check_schema(parameter, pointer, argument)

    def count(self, parameter, location):
        style = "content" if "content" in parameter else parameter.get("style", STYLES[location])
        exploded = ", exploded" if parameter.get("explode", style in ("form", "deepObject")) else ""
        counts[f"{location} parameters, {style}{exploded}"] += 1

    def check_accept(self, accept):
        """It asks for what the document answers with."""
        for media in (accept or "").split(", ") if accept else []:
            offered = set()
            for code, response in self.operation.get("responses", {}).items():
                response, _ = self.document.follow(response, None)
                offered |= set(response.get("content", {}))
            want(media in offered, "asks for", media)

    def check_body(self):
        sent = self.request["body"]
        node = self.operation.get("requestBody")
        if node is None or self.method in ("GET", "HEAD"):
            return want(sent is None, "a body that the document has not")
        body, pointer = self.document.follow(node, f"{self.at}/{self.method.lower()}/requestBody")
        if sent is None:
            return want(not body.get("required"), "no body, which is required")
        essence = sent["type"].partition(";")[0].strip()
        offered = {media.partition(";")[0].strip(): media for media in body["content"]}
        media = offered.get(essence) or offered.get("*/*") or offered.get("application/*")
        want(media, "another media type", sent["type"])
        names = self.read["body"]
        value = {name: self.left.pop(name) for name in names if name in self.left}
        if names == ["body"]:
            schema, _ = self.document.follow(body["content"][media].get("schema") or {}, None)
            is_own = "body" in schema.get("properties", {}) and "properties" in schema
            whole = value.get("body")
            merged = is_own and json.loads(sent["text"]) == value if essence.endswith("json") else False
            value = value if merged else whole
        content = body["content"][media]
        if essence.endswith("json"):
            want(json.loads(sent["text"]) == value, "the body is", sent["text"])
        elif essence == "application/x-www-form-urlencoded":
            self.check_form(sent["text"], value, content.get("encoding", {}))
        elif essence == "multipart/form-data":
            self.check_multipart(sent, value, content.get("encoding", {}))
        else:
            want(sent["text"] == text(value), "the body is", sent["text"])
        counts[f"bodies, {essence}"] += 1
        if content.get("schema") is not None:
            self.document.check(value, f"{pointer}/content/{media.replace('/', '~1')}/schema", "the body")

    def check_form(self, sent, value, encoding):
        pairs = raw_pairs(sent, "&")
        for name, own in value.items():
            rule = encoding.get(name, {})
            styled = any(key in rule for key in ("style", "explode", "allowReserved"))
            if isinstance(own, dict) and not styled:
                want(json.loads(take(pairs, name, "form", False, "")) == own, name, "is no JSON of", own)
                continue
            style = rule.get("style", "form")
            found = take(pairs, name, style, rule.get("explode", style in ("form", "deepObject")), own)
            want(found == (deep_text(own) if style == "deepObject" else flat(own)), name, "is", found, "of", own)
        want(not pairs, "fields that nobody asked for", pairs)

    def check_multipart(self, sent, value, encoding):
        whole = f"Content-Type: {sent['type']}\r\n\r\n{sent['text']}".encode()
        parts = BytesParser().parsebytes(whole).get_payload()
        want(isinstance(parts, list), "no parts", sent["text"])
        found = [
            (own.get_param("name", header="content-disposition"), own.get_content_type(), own.get_payload(decode=True).decode())
            for own in parts
        ]
        expected = []
        for name, own in value.items():
            media = encoding.get(name, {}).get("contentType", "").partition(",")[0].strip()
            for one in own if isinstance(own, list) and not media else [own]:
                if one is None:
                    continue
                is_json = isinstance(one, (dict, list)) or media.endswith("json")
                shown = json.dumps(one, separators=(",", ":"), ensure_ascii=False) if is_json else text(one)
                expected.append((name, media or ("application/json" if is_json else "text/plain"), shown))
        want(found == expected, "the parts are", found, "of", expected)


def check(entry):
    document, faults = Document(entry["path"]), []
    read = {(own["method"], own["path"]): own for own in entry["read"]["operations"]}
    operations = list(document.operations())
    want(set(read) == {own[0] for own in operations}, "other operations", set(read) ^ {own[0] for own in operations})
    before = counts["requests"]
    for operation in operations:
        own = read[operation[0]]
        try:
            want(operation[2].get("operationId") in (None, own["operation"]), "another id")
            if own["unavailable"]:
                continue
            for key in ("example", "full_example"):
                if own[key]:
                    Call(document, operation, own, own[key]).check()
        except Mismatch as mismatch:
            faults.append(f"{own['operation']}: {mismatch}")
    return faults, counts["requests"] - before


def main():
    failed = False
    for path in sorted(Path(sys.argv[1]).glob("*.json"), key=lambda path: int(path.stem)):
        entry = json.loads(path.read_text())
        faults, requests = check(entry)
        for fault in faults[:20]:
            print(f"    {fault}")
        says = f"{entry['name']}: {requests} requests say what their arguments say"
        print(f"  FAILED {says}; {len(faults)} operations do not" if faults else f"  ok {says}", flush=True)
        failed |= bool(faults)
    for what, count in sorted(counts.items()):
        print(f"    {count} {what}")
    return 1 if failed else 0


sys.exit(main())
