/** DOM helpers: elements, focus, announcements and downloads. */

import * as m from '../../lib/languages/messages.ts'
import { t, type Wrap } from '../text.ts'
import { csvLine } from './rules/reading/cells.ts'

type Child = Node | string | null | undefined

/** Creates an element. Strings become text nodes, so file contents are never parsed as markup. */
export const h = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== undefined))
  return element
}

export const select = (
  attributes: Record<string, string>,
  options: [value: string, text: string][],
): HTMLSelectElement =>
  h('select', attributes, ...options.map(([value, text]) => h('option', { value }, text)))

/** For the tags of messages. */
export const code: Wrap = (content) => h('code', {}, ...content)
export const strong: Wrap = (content) => h('strong', {}, ...content)
export const hidden: Wrap = (content) => h('span', { class: 'hidden' }, ...content)

/** A link that opens in a new tab, so that this one keeps its state. */
export const linkInNewTab =
  (href: string): Wrap =>
  (content) =>
    h('a', { href, target: '_blank', rel: 'noopener' }, ...content)

/** @throws if the element is missing or of another type */
export const byId = <Element extends HTMLElement>(id: string, type: new () => Element): Element => {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no #${id}.`)
  return element
}

/** Shows a step, and focuses its heading for screen readers. */
export const showStep = (title: string, ...children: Child[]): void => {
  const heading = h('h2', { tabindex: -1 }, title)
  byId('import-choose', HTMLElement).hidden = true
  byId('import-sources', HTMLElement).hidden = true
  byId('import-stage', HTMLElement).replaceChildren(
    heading,
    ...children.filter((child) => child != null),
  )
  heading.focus()
}

/** Announces text to screen readers without moving focus. */
export const announce = (text: string): void => {
  byId('import-status', HTMLElement).textContent = text
}

export const button = (label: string, onClick: () => void, style = ''): HTMLButtonElement => {
  const element = h('button', { type: 'button', class: style || undefined }, label)
  element.addEventListener('click', onClick)
  return element
}

/** The buttons and links at the end of a step or a list. */
export const actions = (...children: Child[]): HTMLElement =>
  h('p', { class: 'actions' }, ...children)

export const option = (label: string, id: string, checked = false) => {
  const box = h('input', { type: 'checkbox', id, 'aria-describedby': `${id}-effect` })
  box.checked = checked
  const effect = h('span', { class: 'hint', id: `${id}-effect` })
  return {
    box,
    effect,
    part: h('p', { class: 'option' }, box, h('label', { for: id }, label), effect),
  }
}

export const download = (name: string, content: string): void => {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv;charset=utf-8' }))
  h('a', { href: url, download: name }).click()
  // The browser has read the file after this time.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** The button that downloads rows as CSV. @param rows the first one has the names of the columns */
export const downloadRows = (name: string, rows: string[][]): HTMLElement =>
  actions(
    button(
      t(m.import_download_list),
      () => download(name, `\ufeff${rows.map(csvLine).join('')}`),
      'quiet',
    ),
  )

/** A table that scrolls horizontally on narrow screens, like those of the other pages. */
export const table = (
  caption: string,
  head: string[],
  rows: (Child[] | HTMLElement)[],
): HTMLElement =>
  h(
    'section',
    { class: 'table', 'aria-label': caption, tabindex: 0 },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...head.map((title) => h('th', { scope: 'col' }, title)))),
      h(
        'tbody',
        {},
        ...rows.map((row) =>
          row instanceof HTMLElement ? row : h('tr', {}, ...row.map((cell) => h('td', {}, cell))),
        ),
      ),
    ),
  )

/** Yields to the browser between pieces of work. */
export const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
