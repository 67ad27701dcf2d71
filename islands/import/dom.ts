/** The little that the page needs to build its steps: elements, focus, announcements and downloads. */

type Child = Node | string | null | undefined

/** An element with its attributes and children. Text is text: nothing of a file is ever read as markup. */
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

/** The element of the page with this id. @throws when the page is not the one that this script was written for */
export const byId = <Element extends HTMLElement>(id: string, type: new () => Element): Element => {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no #${id}.`)
  return element
}

/** Shows a step below the page's heading, and moves to its own, so that a screen reader begins there. */
export const showStep = (title: string, ...children: Child[]): void => {
  const heading = h('h2', { tabindex: -1 }, title)
  byId('import-choose', HTMLElement).hidden = true
  byId('import-stage', HTMLElement).replaceChildren(heading, ...children.filter((child) => child != null))
  heading.focus()
}

/** Says something to screen readers, without moving them. */
export const announce = (text: string): void => {
  byId('import-status', HTMLElement).textContent = text
}

/** A button, and what it does. */
export const button = (label: string, onClick: () => void, style = ''): HTMLButtonElement => {
  const element = h('button', { type: 'button', class: style || undefined }, label)
  element.addEventListener('click', onClick)
  return element
}

/** Gives the person a file. */
export const download = (name: string, content: string): void => {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv;charset=utf-8' }))
  h('a', { href: url, download: name }).click()
  // The browser has opened it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A table that scrolls by itself when the screen is narrow, as the tables of the other pages do. */
export const table = (caption: string, head: string[], rows: (Child[] | HTMLElement)[]): HTMLElement =>
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

/** Lets the browser paint and answer to keys before the next piece of work. */
export const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
