/** Renders guides as HTML, by marked. Raw HTML is shown as text, and comments are dropped. */
import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { GUIDES } from './guides.ts'

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** A heading's id, as on GitHub, so that links work in both places. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Code with a button that copies it. islands/docs.ts fills in the reader's own values. */
export const codeBlock = (code: string): string =>
  `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}</code></pre><button type="button" class="quiet" data-copy data-copied="Copied" data-blocked="Press Ctrl+C">Copy</button></div>
`

/** The target of a guide's link on /docs; null for a file that is not served. */
export const linkOf = (href: string, file: string): string | null => {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const [path = '', hash] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(file), path))
  const anchor = hash ? `#${hash}` : ''
  if (target === 'README.md') return '/docs/'
  const guide = GUIDES.find((one) => one.file === target)
  if (guide) return `/docs/${guide.name}${anchor}`
  return /^docs\/[\w-]+\.(svg|png)$/.test(target) ? `/${target}` : null
}

export type Heading = { depth: number; text: string; id: string }
export type Rendered = { title: string; html: string; headings: Heading[]; sections: Section[] }
/** The text below a heading, for the search. */
export type Section = { heading: string; id: string; text: string }

const plain = (html: string): string =>
  html
    .replaceAll(/<button.*?<\/button>/gs, '')
    .replaceAll(/<\/?(code|a|strong|em|del)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** @param file the guide's path, for its relative links */
export const render = (markdown: string, file: string): Rendered => {
  const headings: Heading[] = []
  const seen = new Map<string, number>()
  const idOf = (text: string): string => {
    const slug = slugOf(text)
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times ? `${slug}-${times}` : slug
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        const text = plain(html)
        const id = idOf(text)
        headings.push({ depth, text, id })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      code: ({ text }: Tokens.Code) => codeBlock(text),
      link({ href, tokens }: Tokens.Link) {
        const to = linkOf(href, file)
        const html = this.parser.parseInline(tokens)
        return to === null ? html : `<a href="${escapeHtml(to)}">${html}</a>`
      },
      image: ({ href, text }: Tokens.Image) =>
        `<img src="${escapeHtml(linkOf(href, file) ?? '')}" alt="${escapeHtml(text)}" loading="lazy">`,
      html: ({ text }: Tokens.HTML | Tokens.Tag) =>
        text.trim().startsWith('<!--') ? '' : escapeHtml(text),
      table(token: Tokens.Table) {
        const cells = (tag: string, row: Tokens.TableCell[]) =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const rows = token.rows.map((row) => cells('td', row)).join('\n')
        return `<div class="table" tabindex="0"><table><thead>${cells('th', token.header)}</thead><tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  const sections = html.split(/(?=<h[1-3] id=)/).flatMap((part) => {
    const [, id, heading = ''] = /^<h[1-3] id="([^"]*)">(.*?)<\/h/s.exec(part) ?? []
    return id === undefined
      ? []
      : { heading: plain(heading), id, text: plain(part.replace(/^<h.*?<\/h\d>/s, '')) }
  })
  return { title: headings[0]?.text ?? '', html, headings, sections }
}
