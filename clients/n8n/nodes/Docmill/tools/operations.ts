// Made from shared/tools by scripts/generate.mts.

import type { INodeProperties } from 'n8n-workflow';

export const operations: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Convert', value: 'convert' },
			{ name: 'Edit', value: 'edit' },
			{ name: 'Inspect', value: 'inspect' },
			{ name: 'Job', value: 'job' },
			{ name: 'Office', value: 'office' },
			{ name: 'Optimize', value: 'optimize' },
			{ name: 'Organize', value: 'organize' },
			{ name: 'Security', value: 'security' },
			{ name: 'Web', value: 'web' },
		],
		default: 'office',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['inspect'] } },
		options: [
			{
				name: 'Check Accessibility',
				value: 'check-accessibility',
				description: 'Checks a PDF by the rules of PDF/UA-1, and lists what only people can judge',
				action: 'Check accessibility',
			},
			{
				name: 'Compare Documents',
				value: 'compare-documents',
				description:
					'Shows two versions of a document side by side, with changed words and areas marked, or lists the changes as JSON',
				action: 'Compare documents',
			},
			{
				name: 'Inspect Document',
				value: 'inspect-document',
				description:
					'Reports the format, pages, fonts, pictures, encryption, signatures, forms and metadata of a PDF or a picture',
				action: 'Inspect document',
			},
			{
				name: 'Read Invoice',
				value: 'read-invoice',
				description: 'Reads an e-invoice (UBL, CII, Factur-X, ZUGFeRD) as JSON, or shows it as a page',
				action: 'Read invoice',
			},
			{
				name: 'Validate Invoice',
				value: 'validate-invoice',
				description: 'Checks an e-invoice (UBL, CII, Factur-X, ZUGFeRD) by the rules of EN 16931 and XRechnung',
				action: 'Validate invoice',
			},
			{
				name: 'Verify Signatures',
				value: 'verify-signatures',
				description: 'Checks who signed a PDF, whether it was changed afterwards, and whether that was allowed',
				action: 'Verify signatures',
			},
		],
		default: 'check-accessibility',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['optimize'] } },
		options: [
			{
				name: 'Compress PDF',
				value: 'compress-pdf',
				description: 'Makes a PDF smaller, and checks page by page that it looks and reads the same',
				action: 'Compress PDF',
			},
		],
		default: 'compress-pdf',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['office'] } },
		options: [
			{
				name: 'Convert Office Files',
				value: 'convert-office',
				description:
					'Converts between Word, Excel, PowerPoint, OpenDocument, RTF, text, HTML and CSV, or to a picture of a page',
				action: 'Convert office files',
			},
			{
				name: 'Office to PDF',
				value: 'office-to-pdf',
				description: 'Converts Word, Excel, PowerPoint, OpenDocument, RTF, text and CSV files to PDF',
				action: 'Convert office to PDF',
			},
			{
				name: 'Render Template',
				value: 'render-template',
				description:
					'Fills a Word, Excel, PowerPoint, OpenDocument, HTML or Markdown template with data: values, conditions, rows that repeat, pictures and codes',
				action: 'Render template',
			},
		],
		default: 'convert-office',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['edit'] } },
		options: [
			{
				name: 'Edit PDF Metadata',
				value: 'edit-metadata',
				description:
					'Sets and removes title, author and other metadata of a PDF, attaches files, and makes Factur-X and ZUGFeRD invoices',
				action: 'Edit PDF metadata',
			},
			{
				name: 'Fill PDF Form',
				value: 'fill-form',
				description: 'Fills in the fields of a PDF form, in any script',
				action: 'Fill PDF form',
			},
			{
				name: 'Flatten PDF',
				value: 'flatten-pdf',
				description: 'Makes form fields, annotations and layers part of the page',
				action: 'Flatten PDF',
			},
			{
				name: 'OCR PDF',
				value: 'ocr-pdf',
				description:
					'Makes scans searchable: recognizes the text of pages that have none and adds an invisible text layer',
				action: 'OCR PDF',
			},
			{
				name: 'PDF to PDF/A',
				value: 'pdf-to-pdfa',
				description:
					'Makes a PDF fit for archives: embeds fonts, gives colors a profile, and says which rules of PDF/A it breaks',
				action: 'Convert PDF to PDF/A',
			},
			{
				name: 'Tag PDF',
				value: 'tag-pdf',
				description:
					'Makes a PDF accessible: adds tags for headings, lists, tables and reading order. Pages look the same.',
				action: 'Tag PDF',
			},
			{
				name: 'Watermark PDF',
				value: 'watermark-pdf',
				description:
					'Stamps text in any script, page and Bates numbers, dates, pictures, PDF pages, QR codes and bar codes on pages',
				action: 'Watermark PDF',
			},
		],
		default: 'edit-metadata',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['web'] } },
		options: [
			{
				name: 'Email to PDF',
				value: 'email-to-pdf',
				description:
					'Prints an email message (eml or msg) with its headers, pictures and attachments, and without loading anything remote',
				action: 'Convert email to PDF',
			},
			{
				name: 'HTML to Image',
				value: 'html-to-image',
				description: 'Takes a picture of a web page or of inline HTML, in a real browser: PNG, JPEG or WebP',
				action: 'Convert HTML to image',
			},
			{
				name: 'HTML to PDF',
				value: 'html-to-pdf',
				description:
					'Renders a web page or inline HTML to PDF, in a real browser or in a faster engine without JavaScript',
				action: 'Convert HTML to PDF',
			},
			{
				name: 'Markdown to PDF',
				value: 'markdown-to-pdf',
				description:
					"Typesets GitHub's Markdown: tables, task lists, footnotes, alerts, front matter, a table of contents",
				action: 'Convert markdown to PDF',
			},
		],
		default: 'email-to-pdf',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['convert'] } },
		options: [
			{
				name: 'Extract Document',
				value: 'extract-document',
				description:
					'Reads any document as blocks with roles and boxes, tables and figures, as JSON, Markdown, HTML, chunks, CSV or xlsx',
				action: 'Extract document',
			},
			{
				name: 'Images to PDF',
				value: 'images-to-pdf',
				description: 'Puts JPEG, PNG, WebP, TIFF, GIF, BMP and SVG pictures into a PDF',
				action: 'Convert images to PDF',
			},
			{
				name: 'PDF to Images',
				value: 'pdf-to-images',
				description: 'Draws each page of a PDF as a PNG, JPEG or WebP picture',
				action: 'Convert PDF to images',
			},
			{
				name: 'PDF to Office',
				value: 'pdf-to-office',
				description: 'Makes a Word document, an Excel workbook or a PowerPoint presentation of a PDF, scans too',
				action: 'Convert PDF to office',
			},
			{
				name: 'PDF to Text',
				value: 'pdf-to-text',
				description: 'Reads a PDF as plain text, Markdown, HTML or JSON with positions',
				action: 'Convert PDF to text',
			},
			{
				name: 'Thumbnail',
				value: 'thumbnail',
				description: 'Draws one page of a PDF, office file, page or picture as a small picture',
				action: 'Thumbnail',
			},
		],
		default: 'extract-document',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['organize'] } },
		options: [
			{
				name: 'Merge PDF',
				value: 'merge-pdf',
				description:
					'Joins PDF, office, HTML, Markdown and image files into one PDF, and keeps bookmarks, links, forms and tags',
				action: 'Merge PDF',
			},
			{
				name: 'Organize PDF Pages',
				value: 'organize-pdf',
				description: 'Selects, deletes, reorders, repeats, rotates and crops pages, or puts several on a sheet',
				action: 'Organize PDF pages',
			},
			{
				name: 'Split PDF',
				value: 'split-pdf',
				description: 'Splits a PDF into several by pages, ranges, bookmarks, blank pages or size',
				action: 'Split PDF',
			},
		],
		default: 'merge-pdf',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['security'] } },
		options: [
			{
				name: 'Protect PDF',
				value: 'protect-pdf',
				description: 'Encrypts a PDF with AES-256 and sets what readers may do',
				action: 'Protect PDF',
			},
			{
				name: 'Redact PDF',
				value: 'redact-pdf',
				description:
					'Removes text, regions and hidden data from a PDF for good, and proves that they are gone before it delivers the result. If nothing is found, the job completes with the warning <code>nothing_redacted</code>, unless <code>nothingFound</code> is <code>fail</code>.',
				action: 'Redact PDF',
			},
			{
				name: 'Sign PDF',
				value: 'sign-pdf',
				description: 'Signs or certifies a PDF with your key (PAdES), visibly or not. Earlier signatures stay valid.',
				action: 'Sign PDF',
			},
			{
				name: 'Unlock PDF',
				value: 'unlock-pdf',
				description: 'Removes the encryption of a PDF whose password you know',
				action: 'Unlock PDF',
			},
		],
		default: 'protect-pdf',
	},
];
