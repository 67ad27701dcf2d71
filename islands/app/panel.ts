/**
 * Opens links marked `data-panel` in a panel beside their list, on screens wide enough for both.
 * The panel shows what the link's page says; forms stay on the page. Its URL is the page's, so that
 * a reload shows that, and Back closes it.
 */

const WIDE = matchMedia('(min-width: 60rem)')

/** How a panel was closed that the browser's history has left. */
const BY_HISTORY = 'history'

type Enhance = (root: ParentNode) => void

/**
 * The content of a page, without forms: their fields could have the ids of the list's filters. null
 * if it is not there.
 */
const contentOf = async (href: string): Promise<Element | null> => {
  const response = await fetch(href, { headers: { Accept: 'text/html' } })
  // Signed out, or gone.
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

/** An empty panel. Every page of a workspace has it as a template. */
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
