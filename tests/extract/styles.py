"""Style sheets for printing, each from a seed: type, spacing, headings, tables and lists as different programs set them."""

import random

SERIF = ["Liberation Serif", "DejaVu Serif", "Gelasio", "Caladea"]
SANS = ["Liberation Sans", "DejaVu Sans", "Noto Sans", "Carlito"]
FALLBACK = "'Noto Sans CJK SC', 'Noto Naskh Arabic', 'Noto Sans Hebrew', 'DejaVu Sans'"
# Sizes of the first three levels of headings, in ems. In the last, a heading is bold text.
HEADINGS = [(2.0, 1.5, 1.2), (1.7, 1.35, 1.15), (2.4, 1.6, 1.25), (1.5, 1.25, 1.1), (1.6, 1.2, 1.0), (1.4, 1.0, 1.0)]
RULED = [
    "td, th { border: 0.75pt solid #333 }",
    "td, th { border: 0.5pt solid #bbb } th { background: #e8eef6 }",
    "table { border: 1.5pt solid #000 } td, th { border: 0.5pt solid #000 } th { background: #333; color: #fff }",
]
BARE = [
    "tr { border-bottom: 0.5pt solid #999 } tr:first-child { border-bottom: 1.5pt solid #333 }",
    "table { border-top: 1pt solid #000; border-bottom: 1pt solid #000 } tr:first-child { border-bottom: 0.5pt solid #000 }",
    "tr:nth-child(even) { background: #f0f0f0 }",
    "",
]


def style(seed: str, columns: int = 1, tables: str = "any", page: str = "A4", landscape: bool = False) -> str:
    """`tables`: "ruled", "bare" or "any"."""
    chance = random.Random(seed)
    body, head = chance.choice([SERIF, SANS]), chance.choice([SERIF, SANS])
    size = chance.choice([8.5, 9, 9.5, 10, 10.5, 11, 12]) if columns < 3 else chance.choice([8, 8.5, 9])
    rules = {"ruled": RULED, "bare": BARE, "any": RULED + BARE}[tables]
    paragraphs = chance.choice(["margin: 0 0 0.7em", "margin: 0 0 1em", "margin: 0; text-indent: 1.4em", "margin: 0 0 0.4em"])
    align = chance.choice(["justify", "left"])
    css = [
        f"@page {{ size: {page}{' landscape' if landscape else ''}; margin: {chance.choice([14, 18, 22, 25])}mm }}",
        "@page { margin-top: 24mm; margin-bottom: 22mm }",
        f"html {{ font: {size}pt/{chance.choice([1.2, 1.35, 1.5])} '{chance.choice(body)}', {FALLBACK} }}",
        "body { margin: 0 } a { color: inherit; text-decoration: none }",
        f"p {{ {paragraphs}; text-align: {align}; hyphens: {chance.choice(['auto', 'manual'])} }}",
        *_headings(chance, chance.choice(head)),
        *_tables(chance, chance.choice(rules)),
        f"ul {{ list-style: {chance.choice(['disc', 'square', 'circle'])} }} ul, ol {{ margin: 0 0 0.8em; padding-left: 1.8em }}",
        f"li {{ margin: {chance.choice(['0', '0.3em'])} 0 }}",
        f"pre {{ font: 0.88em/1.3 'DejaVu Sans Mono'; {chance.choice(['background: #f3f3f3; padding: 0.6em', 'margin: 0.8em 1.5em'])} }}",
        ".caption { font-size: 0.85em; font-style: italic; text-align: left; text-indent: 0 } figure { margin: 0.8em 0; break-inside: avoid }",
        "section.page { break-after: page; display: flex; flex-direction: column; min-height: 235mm }",
        ".footnotes { margin-top: auto; font-size: 0.8em; border-top: 0.5pt solid #000; padding-top: 0.4em } sup { font-size: 0.65em }",
        ".field { display: flex; margin: 0 0 0.5em } .field b { width: 11em; font-weight: normal } .field i { font-style: normal; "
        f"flex: 1; {chance.choice(['border-bottom: 0.5pt solid #000', 'border: 0.75pt solid #777; padding: 0.2em 0.5em'])} }}",
    ]
    if columns > 1:
        rule = chance.choice(["", "; column-rule: 0.5pt solid #999"])
        css.append(f".columns {{ columns: {columns}; column-gap: {chance.choice([5, 6, 8])}mm{rule} }}")
    return "\n".join(css)


def _headings(chance: random.Random, font: str) -> list[str]:
    sizes = chance.choice(HEADINGS)
    color = chance.choice(["#000", "#000", "#1f3864", "#8b0000"])
    weight = chance.choice(["bold", "bold", "normal"]) if min(sizes) > 1.05 else "bold"
    css = [f"h1, h2, h3 {{ font-family: '{font}', {FALLBACK}; font-weight: {weight}; color: {color}; break-after: avoid; line-height: 1.2 }}"]
    css += [f"h{level} {{ font-size: {size}em; margin: {1.2 - level * 0.1}em 0 0.5em }}" for level, size in enumerate(sizes, 1)]
    if chance.random() < 0.3:
        css.append("h1 { text-align: center }")
    return css


def _tables(chance: random.Random, rules: str) -> list[str]:
    padding = chance.choice(["2pt 4pt", "3pt 6pt", "4pt 9pt"])
    width = chance.choice(["100%", "auto", "auto"])
    return [
        f"table {{ border-collapse: collapse; width: {width}; margin: 0.8em 0; font-size: {chance.choice([0.85, 0.9, 1])}em }}",
        f"td, th {{ padding: {padding}; text-align: left; vertical-align: {chance.choice(['top', 'middle'])} }}",
        f"th {{ font-weight: {chance.choice(['bold', 'bold', 'normal'])} }} tr {{ break-inside: avoid }}",
        f".number {{ text-align: {chance.choice(['right', 'right', 'left', 'center'])} }}",
        rules,
    ]
