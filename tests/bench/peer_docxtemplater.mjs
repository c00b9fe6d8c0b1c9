// docxtemplater kept in memory: fills the template in each JSON line with the data beside it. First argument: node_modules.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const require = createRequire(path.join(process.argv[2], 'peers.js'));
const Docxtemplater = require('docxtemplater');
const PizZip = require('pizzip');

for await (const line of readline.createInterface({ input: process.stdin })) {
	const job = JSON.parse(line);
	let answer = {};
	try {
		const data = JSON.parse(fs.readFileSync(job.in.replace(/\.docx$/, '.json'), 'utf8'));
		const template = new Docxtemplater(new PizZip(fs.readFileSync(job.in)), { paragraphLoop: true, linebreaks: true });
		template.render(data);
		fs.writeFileSync(job.out, template.getZip().generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
	} catch (error) {
		answer = { error: String(error) };
	}
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}
