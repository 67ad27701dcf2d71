/**
 * The script of every page: local times, copy buttons, panels, the setup checklist, the state of a
 * sign-in link, table heads, search keys, and the section in view.
 */
import { startChecklist } from './app/checklist.ts'
import { startPanel } from './app/panel.ts'
import { startWaiting } from './app/waiting.ts'

const FEEDBACK_MS = 2_000

/** Copies the text of a button, including buttons that are added later. */
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

/** Times are in UTC, which the tooltip keeps. Days are UTC days, and are not converted. */
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

/** A table that fits does not scroll, so that its head stays in view while the page scrolls. */
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
 * `/` and Ctrl-K (Command-K on a Mac) focus the search field, which a narrow window has in its
 * menu.
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
    // Opens the menu of a narrow window. In a wide one the field is always in view.
    if (search.offsetParent === null) menu.showPopover()
    search.focus()
    search.select()
  })
}
