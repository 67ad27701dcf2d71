/**
 * The script of every page: times in the reader's zone, copy buttons, panels, the setup checklist,
 * the state of a sign-in link, heads of tables, the keys of the search, and the current section in
 * view.
 */
import { startChecklist } from './app/checklist.ts'
import { startPanel } from './app/panel.ts'
import { startWaiting } from './app/waiting.ts'

const FEEDBACK_MS = 2_000

/** Copies what a button names, also one that was added later. */
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element && target.closest<HTMLButtonElement>('button[data-copy]')
  if (!button) return
  const { innerHTML: label } = button
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    button.textContent = button.dataset.copied ?? ''
  } catch {
    // The clipboard is blocked, for example without https. Select the text instead.
    const text = button.parentElement?.querySelector('code')
    if (text) getSelection()?.selectAllChildren(text)
    button.textContent = button.dataset.blocked ?? ''
  }
  setTimeout(() => {
    button.innerHTML = label
  }, FEEDBACK_MS)
})

/** Times are in UTC, and stay so in a tooltip. Days are those of UTC, and have no other zone. */
const { lang } = document.documentElement
const LOCAL = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
  dateStyle: 'medium',
  timeStyle: 'short',
})
const localizeTimes = (root: ParentNode): void => {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    time.title = time.textContent
    time.textContent = LOCAL.format(new Date(time.dateTime))
  }
}

localizeTimes(document)
startPanel(localizeTimes)
startChecklist()
startWaiting()

/**
 * A table that fits doesn't scroll by itself, so that its head can stay in view while the page
 * scrolls.
 */
const fitting = new ResizeObserver((tables) => {
  for (const { target } of tables) {
    target.classList.remove('fits')
    target.classList.toggle('fits', target.scrollWidth <= target.clientWidth)
  }
})
for (const table of document.querySelectorAll('main > .table')) fitting.observe(table)

document
  .querySelector('.sections [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })

/**
 * `/` and Ctrl-K (on a Mac, Command-K) go to the search field, which is in the menu of a narrow
 * window.
 */
const search = document.querySelector<HTMLInputElement>('#sections [name="q"]')
const menu = document.querySelector<HTMLElement>('#sections')
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, select, textarea'))

if (search && menu) {
  search.nextElementSibling?.removeAttribute('hidden')
  document.addEventListener('keydown', (event) => {
    const isSlash =
      event.key === '/' &&
      !event.altKey &&
      !event.ctrlKey &&
      !event.metaKey &&
      !isTyping(event.target)
    const isCtrlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
    if (event.defaultPrevented || !(isSlash || isCtrlK)) return
    event.preventDefault()
    // Only where it is a menu: elsewhere it is always in view.
    if (search.offsetParent === null) menu.showPopover()
    search.focus()
    search.select()
  })
}
