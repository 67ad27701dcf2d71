/**
 * Updates a checklist while a step is open, the tab is visible and the session lasts. A step is
 * replaced only if its state has changed, except for the target of its first link, so that nothing
 * moves under a reader and no element loses the focus.
 */
import { MOST_REQUESTS, nextTurn } from './waiting.ts'

const OPEN = '[data-status="open"], [data-status="failed"]'

export const startChecklist = (): void => {
  const list = document.querySelector<HTMLElement>('ul.checklist')
  if (list) void follow(list)
}

const follow = async (list: HTMLElement): Promise<void> => {
  for (let request = 0; request < MOST_REQUESTS && list.querySelector(OPEN); request++) {
    await nextTurn()
    const page = await readPage()
    if (page === 'signed_out') return
    if (page) tick(list, page.querySelector('ul.checklist'))
  }
}

/** The current page; undefined if the request fails. */
const readPage = async (): Promise<Document | 'signed_out' | undefined> => {
  try {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
    if (response.redirected) return 'signed_out'
    return response.ok
      ? new DOMParser().parseFromString(await response.text(), 'text/html')
      : undefined
  } catch {
    return undefined
  }
}

/** @param fresh null once all steps are done, because the page then has no checklist */
const tick = (list: HTMLElement, fresh: Element | null): void => {
  for (const [index, step] of [...list.children].entries()) {
    const now = fresh?.children[index]
    const status = step.querySelector<HTMLElement>(OPEN)
    const next = now?.querySelector<HTMLElement>('[data-status]')
    if (status && status.dataset.status !== next?.dataset.status) {
      status.dataset.status = next?.dataset.status ?? 'approved'
      status.textContent = next?.textContent ?? list.dataset.done ?? ''
      const [text, newText] = [status.nextElementSibling, next?.nextElementSibling]
      if (text && newText && !text.contains(document.activeElement)) text.replaceWith(newText)
    }
    const href = now?.querySelector('a')?.getAttribute('href')
    if (href) step.querySelector('a')?.setAttribute('href', href)
  }
}
