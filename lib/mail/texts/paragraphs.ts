/**
 * A part of a paragraph: text, a name from user input, a link, in HTML under its label, or a URL
 * from user input in a line of its own.
 */
export type Part = string | { name: string } | { link: string; label?: string } | { text: string }

/** The source of both the HTML and the plain text of a mail. */
export type Paragraph = string | Part[] | { button: string; link: string }

/** What a mail says. `render` of compose.tsx adds the head and foot that all mails have. */
export type Draft = {
  subject: string
  /** What mail programs show beside the subject, before the mail is opened: a sentence. */
  preview: string
  paragraphs: Paragraph[]
}
