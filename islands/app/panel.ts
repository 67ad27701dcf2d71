/**
 * Opens links marked `data-panel` in a panel beside their list, if the screen is wide enough. The
 * panel shows the link's page without its forms. The URL is the page's, so that a reload opens the
 * page, and Back closes the panel.
 */

const WIDE = matchMedia('(min-width: 60rem)')

/** The return value of a panel that closes because of a step back in the history. */
const BY_HISTORY = 'history'

type Enhance = (root: ParentNode) => void

/**
 * The content of a page without forms, whose fields could repeat the ids of the list's filters.
 * null if there is none.
 */
const contentOf = async (href: string): Promise<Element | null> => {
  const response = await fetch(href, { headers: { Accept: 'text/html' } })
  // The session has ended, or the page is gone.
  if (!response.ok || response.redirected) return null
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const main = page.querySelector('#main')
  for (const part of main?.querySelectorAll('section:has(form), form') ?? []) part.remove()
  for (const part of main?.querySelectorAll('[id]') ?? []) part.removeAttribute('id')
  return main
}

const partOf = <Name extends keyof HTMLElementTagNameMap>(
  root: ParentNode,
  name: Name,
): HTMLElementTagNameMap[Name] => {
  const part = root.querySelector(name)
  if (!part) throw new Error(`The page has no ${name} for a panel.`)
  return part
}

/** An empty panel, from the template in every page of a workspace. */
const emptyPanel = () => {
  const dialog = partOf(document.importNode(partOf(document, 'template').content, true), 'dialog')
  return { dialog, link: partOf(dialog, 'a'), button: partOf(dialog, 'button') }
}

export const startPanel = (enhance: Enhance): void => {
  if (!document.querySelector('a[data-panel]')) return
  let panel: HTMLDialogElement | undefined
  const isOpenIn = (state: unknown) => state === 'panel'

  const close = () => {
    panel?.remove()
    panel = undefined
  }

  const show = (href: string, content: Element, opener: HTMLElement | null) => {
    close()
    const { dialog, link, button } = emptyPanel()
    link.href = href
    dialog.append(...content.childNodes)
    const heading = dialog.querySelector('h1')
    if (heading) Object.assign(heading, { id: 'panel-heading', tabIndex: -1 })
    dialog.setAttribute('aria-labelledby', 'panel-heading')
    button.addEventListener('click', () => dialog.close())
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close()
    })
    dialog.addEventListener('close', () => {
      close()
      opener?.focus()
      if (dialog.returnValue !== BY_HISTORY && isOpenIn(history.state)) history.back()
    })
    document.body.append(dialog)
    enhance(dialog)
    dialog.showModal()
    heading?.focus()
    panel = dialog
  }

  document.addEventListener('click', async (event) => {
    const link =
      event.target instanceof Element
        ? event.target.closest<HTMLAnchorElement>('a[data-panel]')
        : null
    const isPlain = !(
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey ||
      event.defaultPrevented
    )
    if (!link || !isPlain || !WIDE.matches) return
    event.preventDefault()
    const content = await contentOf(link.href).catch(() => null)
    if (!content) return location.assign(link.href)
    history.pushState('panel', '', link.href)
    show(link.href, content, link)
  })

  addEventListener('popstate', async ({ state }) => {
    if (!isOpenIn(state)) return panel?.close(BY_HISTORY)
    const { href } = location
    const content = await contentOf(href).catch(() => null)
    if (content) show(href, content, null)
    else location.reload()
  })
}
