// Made from shared/tools by scripts/generate.mts.

import type { Tool } from '../tool';
import { checkAccessibility } from './check-accessibility';
import { compareDocuments } from './compare-documents';
import { compressPdf } from './compress-pdf';
import { convertOffice } from './convert-office';
import { editMetadata } from './edit-metadata';
import { emailToPdf } from './email-to-pdf';
import { extractDocument } from './extract-document';
import { fillForm } from './fill-form';
import { flattenPdf } from './flatten-pdf';
import { htmlToImage } from './html-to-image';
import { htmlToPdf } from './html-to-pdf';
import { imagesToPdf } from './images-to-pdf';
import { inspectDocument } from './inspect-document';
import { markdownToPdf } from './markdown-to-pdf';
import { mergePdf } from './merge-pdf';
import { ocrPdf } from './ocr-pdf';
import { officeToPdf } from './office-to-pdf';
import { organizePdf } from './organize-pdf';
import { pdfToImages } from './pdf-to-images';
import { pdfToOffice } from './pdf-to-office';
import { pdfToPdfa } from './pdf-to-pdfa';
import { pdfToText } from './pdf-to-text';
import { protectPdf } from './protect-pdf';
import { readInvoice } from './read-invoice';
import { redactPdf } from './redact-pdf';
import { renderTemplate } from './render-template';
import { signPdf } from './sign-pdf';
import { splitPdf } from './split-pdf';
import { tagPdf } from './tag-pdf';
import { thumbnail } from './thumbnail';
import { unlockPdf } from './unlock-pdf';
import { validateInvoice } from './validate-invoice';
import { verifySignatures } from './verify-signatures';
import { watermarkPdf } from './watermark-pdf';

export const tools: Tool[] = [
	checkAccessibility,
	compareDocuments,
	compressPdf,
	convertOffice,
	editMetadata,
	emailToPdf,
	extractDocument,
	fillForm,
	flattenPdf,
	htmlToImage,
	htmlToPdf,
	imagesToPdf,
	inspectDocument,
	markdownToPdf,
	mergePdf,
	ocrPdf,
	officeToPdf,
	organizePdf,
	pdfToImages,
	pdfToOffice,
	pdfToPdfa,
	pdfToText,
	protectPdf,
	readInvoice,
	redactPdf,
	renderTemplate,
	signPdf,
	splitPdf,
	tagPdf,
	thumbnail,
	unlockPdf,
	validateInvoice,
	verifySignatures,
	watermarkPdf,
];
