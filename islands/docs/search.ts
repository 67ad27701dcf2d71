type Entry = { url: string; page: string; heading: string; text: string }

const MAX_RESULTS = 8

let index: Promise<Entry[]> | undefined
const loadIndex = (): Promise<Entry[]> => {
  index ??= fetch('/docs/search.json').then((response) => response.json() as Promise<Entry[]>)
  return index
}

/** How well an entry matches. Every word must occur; in a heading it counts more. 0 is no match. */
const scoreOf = (entry: Entry, words: string[]): number => {
  const heading = entry.heading.toLowerCase()
  const text = `${entry.page} ${entry.text}`.toLowerCase()
  let score = 0
  for (const word of words) {
    if (heading.startsWith(word)) score += 12
    else if (heading.includes(word)) score += 8
    else if (text.includes(word)) score += 1
    else return 0
  }
  return score
}

const find = (entries: Entry[], query: string): Entry[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry)
}

/** A combobox: arrows select, Enter opens, Escape closes, and / focuses it from anywhere. */
export const startSearch = (): void => {
  const input = document.querySelector<HTMLInputElement>('#search')
  const list = document.querySelector<HTMLElement>('#found')
  if (!input || !list) return
  input.closest('.search')?.removeAttribute('hidden')
  let chosen = -1

  const options = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')]
  const choose = (place: number): void => {
    const all = options()
    chosen = all.length ? (place + all.length) % all.length : -1
    for (const [at, option] of all.entries())
      option.setAttribute('aria-selected', String(at === chosen))
    const option = all[chosen]
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }
  const show = (isOpen: boolean): void => {
    list.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen) choose(-1)
  }
  const optionOf = ({ url, page, heading }: Entry, at: number): HTMLElement => {
    const option = document.createElement('li')
    option.id = `found-${at}`
    option.role = 'option'
    option.dataset.url = url
    const strong = document.createElement('strong')
    strong.textContent = heading
    option.append(strong, ` ${page}`)
    // A click would come after the input has lost the focus.
    option.addEventListener('mousedown', () => location.assign(url))
    return option
  }
  const search = async (): Promise<void> => {
    const query = input.value
    const found = find(await loadIndex(), query)
    if (query !== input.value) return
    const none = document.createElement('li')
    none.role = 'option'
    none.id = 'found-none'
    none.ariaDisabled = 'true'
    none.textContent = 'No results.'
    list.replaceChildren(...(found.length || !query.trim() ? found.map(optionOf) : [none]))
    show(query.trim() !== '')
    choose(found.length ? 0 : -1)
  }

  input.addEventListener('focus', () => void loadIndex())
  input.addEventListener('input', () => void search())
  input.addEventListener('blur', () => show(false))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Escape') show(false)
    else if (event.key === 'Enter') {
      const url = options()[chosen]?.dataset.url
      if (url) location.assign(url)
    } else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
    if (key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    input.focus()
  })
}
