/**
 * Renders emails as HTML and plain text. The HTML loads nothing but a program's logo, and contains
 * no tracking. Names are escaped in HTML and kept to one line everywhere, so that they cannot
 * imitate our own text.
 */
import type { Brand } from '../../brand/brand.ts'
import { textOn } from '../../brand/colors.ts'
import type { Language } from '../../languages/languages.ts'
import { translator } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { Draft, Paragraph } from './paragraphs.ts'
import { oneLine } from './rendered-mail.ts'

/** Mail clients support inline CSS only. Without colours, their light or dark themes apply. */
const BODY = 'font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:0 auto;padding:1.5em'
const buttonStyle = (color: string) =>
  `display:inline-block;padding:.6em 1.2em;border-radius:.4em;border:1px solid ${textOn(color)};background:${color};color:${textOn(color)};text-decoration:none`
const OUR_COLOR = '#1f5f4a'
/** The font is for the name, which is shown while images are off, in two lines if it is long. */
const LOGO =
  'height:48px;max-width:200px;object-fit:contain;font:600 18px/24px system-ui,sans-serif'
const HEAD = 'margin:0 0 1.5em;font-weight:600'
/** What mail programs show beside the subject is the first text of the mail. */
const HIDDEN = 'display:none;max-height:0;overflow:hidden;mso-hide:all'
const ADDRESS = 'overflow-wrap:anywhere'

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** A URL, shown in full unless it has a label, and linked if it is an http(s) URL. */
const Link = ({ address, label = address }: { address: string; label?: string | undefined }) =>
  isWeb(address) ? (
    <a href={address} style={ADDRESS}>
      {label}
    </a>
  ) : (
    <span style={ADDRESS}>{address}</span>
  )

type ButtonProps = { label: string; address: string; color: string; language: Language }

/** The main action: a button and, for clients that show none, its URL. */
const Button = ({ label, address, color, language }: ButtonProps) => (
  <>
    {isWeb(address) && (
      <p>
        <a href={address} style={buttonStyle(color)}>
          {label}
        </a>
      </p>
    )}
    <p style="font-size:.875em">
      {translator(language)(m.mail_or_open_link)}
      <br />
      <Link address={address} />
    </p>
  </>
)

/** Text with its line breaks. */
const Lines = ({ text }: { text: string }) => (
  <>
    {text.split('\n').map((line, index) => (
      <>
        {index > 0 && <br />}
        {line}
      </>
    ))}
  </>
)

type ParagraphProps = { paragraph: Paragraph; color: string; language: Language }

const HtmlParagraph = ({ paragraph, color, language }: ParagraphProps) => {
  if (typeof paragraph === 'string') return <p>{paragraph}</p>
  if ('button' in paragraph)
    return (
      <Button label={paragraph.button} address={oneLine(paragraph.link)} {...{ color, language }} />
    )
  return (
    <p>
      {paragraph.map((part) => {
        if (typeof part === 'string') return <Lines text={part} />
        // <bdi> keeps a right-to-left name from reordering the text around it.
        if ('name' in part) return <bdi>{oneLine(part.name)}</bdi>
        if ('text' in part) {
          return (
            <>
              <br />
              <span style={ADDRESS}>{oneLine(part.text)}</span>
            </>
          )
        }
        return (
          <>
            <br />
            <Link address={oneLine(part.link)} label={part.label} />
          </>
        )
      })}
    </p>
  )
}

/** The brand of the mail's program, and its name. */
export type MailBrand = Brand & { name: string }

/** The logo of the sender, or else its name. It is no link, because the merchant chose it. */
const Head = ({ logoUrl, name }: MailBrand) => (
  <p style={HEAD}>
    {logoUrl ? (
      <img src={logoUrl} alt={oneLine(name)} height="48" style={LOGO} />
    ) : (
      <bdi>{oneLine(name)}</bdi>
    )}
  </p>
)

export const renderHtml = (
  { subject, preview, paragraphs }: Draft,
  brand?: MailBrand,
  language: Language = 'en',
): string => {
  const markup = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{oneLine(subject)}</title>
      </head>
      <body style={BODY}>
        <div style={HIDDEN}>{oneLine(preview)}</div>
        {brand && <Head {...brand} />}
        {paragraphs.map((paragraph) => (
          <HtmlParagraph
            paragraph={paragraph}
            color={brand?.accentColor ?? OUR_COLOR}
            language={language}
          />
        ))}
      </body>
    </html>
  )
  return `<!doctype html>${markup}`
}

const textParagraph = (paragraph: Paragraph): string => {
  if (typeof paragraph === 'string') return paragraph
  if ('button' in paragraph) return `${paragraph.button}:\n${oneLine(paragraph.link)}`
  return paragraph
    .map((part) => {
      if (typeof part === 'string') return part
      if ('name' in part) return oneLine(part.name)
      return `\n${oneLine('text' in part ? part.text : part.link)}`
    })
    .join('')
}

export const renderText = (paragraphs: Paragraph[]): string =>
  `${paragraphs.map(textParagraph).join('\n\n')}\n`
