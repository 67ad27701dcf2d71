/** A part of a paragraph: our own words, a name that a stranger chose, or an address of the web. */
type Part = string | { name: string } | { link: string }

/** What a mail is put together from, so that its HTML and its plain text say the same. */
export type Paragraph = string | Part[] | { button: string; link: string }
