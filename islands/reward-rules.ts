/**
 * The script of the page that builds the rules of a reward: a rule is moved by dragging it, or by
 * its buttons without a new page, and its new place is announced. The server answers each change
 * with the changed form. Without this script, the buttons submit the form.
 */
import * as m from '../lib/languages/messages.ts'
import { t } from './text.ts'

const FORM = 'form.editor'
const MOVES = '.moves button:is([value$=".up"], [value$=".down"])'

/** Outside of the form, which is replaced. */
const status = document.createElement('p')
status.className = 'hidden'
status.setAttribute('role', 'status')
document.querySelector(FORM)?.before(status)

const rulesIn = (root: ParentNode): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>('.rules > li'),
]

const closest = <Found extends HTMLElement>({ target }: Event, selector: string): Found | null =>
  target instanceof Element ? target.closest<Found>(selector) : null

const isOpenIn = (elements: Iterable<HTMLDetailsElement>): boolean[] =>
  [...elements].map(({ open }) => open)

const openIn = (elements: Iterable<HTMLDetailsElement>, isOpen: boolean[]): void => {
  for (const [i, details] of [...elements].entries()) details.open = isOpen[i] ?? details.open
}

const ofRules = (form: HTMLFormElement) =>
  form.querySelectorAll<HTMLDetailsElement>('.rules > li > details')
const ofTrial = (form: HTMLFormElement) =>
  form.querySelectorAll<HTMLDetailsElement>('.card details')

/** The form after a button was pressed; null if the answer has none, such as after signing out. */
const readForm = async (
  form: HTMLFormElement,
  button: HTMLButtonElement,
): Promise<HTMLFormElement | null> => {
  const fields = [...new FormData(form, button)].map(([name, value]) => [name, String(value)])
  try {
    const response = await fetch(button.formAction, {
      method: 'POST',
      headers: { Accept: 'text/html' },
      body: new URLSearchParams(fields),
    })
    if (response.redirected) return null
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector<HTMLFormElement>(FORM)
  } catch {
    return null
  }
}

/** Moves a rule by a button of the form, whose place it leaves to the server. */
const move = async (form: HTMLFormElement, button: HTMLButtonElement, from: number, to: number) => {
  if (form.inert) return
  const before = [...ofRules(form)]
  const opened = isOpenIn(before)
  const trial = isOpenIn(ofTrial(form))
  const name = before[from]?.querySelector('strong')?.textContent?.replace(/^\d+\.\s*/, '') ?? ''
  // Nothing can be typed that the answer would replace.
  form.inert = true
  const fresh = await readForm(form, button)
  if (!fresh) {
    form.inert = false
    form.requestSubmit(button)
    return
  }
  form.replaceWith(fresh)
  openIn(ofRules(fresh), opened.toSpliced(from, 1).toSpliced(to, 0, opened[from] ?? false))
  openIn(ofTrial(fresh), trial)
  const next = fresh.querySelector<HTMLElement>('[autofocus]')
  next?.removeAttribute('autofocus')
  next?.focus()
  addHandles()
  status.textContent = t(m.rewards_moved, {
    name,
    place: String(to + 1),
    count: String(before.length),
  })
}

document.addEventListener('click', (event) => {
  const button = closest<HTMLButtonElement>(event, MOVES)
  const rule = button?.closest<HTMLElement>('li')
  if (!button?.form || !rule) return
  event.preventDefault()
  const from = rulesIn(button.form).indexOf(rule)
  void move(button.form, button, from, from + (button.value.endsWith('.up') ? -1 : 1))
})

/** The handles by which rules are dragged. Keyboards and screen readers have the buttons. */
const addHandles = (): void => {
  const rules = rulesIn(document)
  if (rules.length < 2) return
  for (const rule of rules) {
    const handle = document.createElement('span')
    handle.className = 'handle'
    handle.title = t(m.rewards_drag)
    handle.ariaHidden = 'true'
    rule.querySelector('.moves')?.prepend(handle)
  }
}

/** How near to the edge of the window, in pixels, a dragged rule scrolls the page. */
const EDGE = 80
/** Pixels per frame. */
const STEP = 8

/** Follows a pointer from a rule's handle to where it is released. */
const drag = (rule: HTMLElement, handle: HTMLElement, { pointerId, clientY }: PointerEvent) => {
  const form = rule.closest('form')
  if (!form || form.inert) return
  const rules = rulesIn(form)
  const others = rules.filter((other) => other !== rule)
  const from = rules.indexOf(rule)
  let to = from
  let y = clientY
  const ended = new AbortController()
  const { signal } = ended

  /** Finds and marks the place under the pointer. */
  const follow = (): void => {
    if (signal.aborted) return
    if (y < EDGE) scrollBy(0, -STEP)
    else if (y > innerHeight - EDGE) scrollBy(0, STEP)
    to = others.filter((other) => {
      const { top, height } = other.getBoundingClientRect()
      return top + height / 2 < y
    }).length
    for (const [i, other] of rules.entries()) {
      other.classList.toggle('drop-before', i === to && to < from)
      other.classList.toggle('drop-after', i === to && to > from)
    }
    requestAnimationFrame(follow)
  }

  const end = (): void => {
    ended.abort()
    for (const one of rules) one.classList.remove('dragged', 'drop-before', 'drop-after')
  }

  rule.classList.add('dragged')
  handle.setPointerCapture(pointerId)
  handle.addEventListener(
    'pointermove',
    (event) => {
      y = event.clientY
    },
    { signal },
  )
  handle.addEventListener('pointercancel', end, { signal })
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal })
  handle.addEventListener(
    'pointerup',
    () => {
      end()
      if (to === from) return
      const button = rule.querySelector<HTMLButtonElement>(MOVES)?.cloneNode()
      if (!(button instanceof HTMLButtonElement)) return
      button.value = `rules.${from}.to.${to}`
      button.disabled = false
      button.hidden = true
      form.append(button)
      void move(form, button, from, to)
    },
    { signal },
  )
  requestAnimationFrame(follow)
}

document.addEventListener('pointerdown', (event) => {
  const handle = closest(event, '.handle')
  const rule = handle?.closest('li')
  if (!handle || !rule || event.button !== 0) return
  // Nothing is selected on the way.
  event.preventDefault()
  drag(rule, handle, event)
})

addHandles()
