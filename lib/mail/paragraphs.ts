/** A part of a paragraph: text, a name from user input, or a link. */
type Part = string | { name: string } | { link: string }

/** The source of both the HTML and the plain text of a mail. */
export type Paragraph = string | Part[] | { button: string; link: string }
