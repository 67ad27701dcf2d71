/** The language last chosen, for all samples of all pages. */
const KEY = 'tributary_docs_language'

const tabsOf = (list: Element): HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>('[role="tab"]'),
]

const select = (tab: HTMLElement): void => {
  for (const one of tabsOf(tab.parentElement ?? tab)) {
    const isSelected = one === tab
    one.setAttribute('aria-selected', String(isSelected))
    one.tabIndex = isSelected ? 0 : -1
    const panel = document.getElementById(one.getAttribute('aria-controls') ?? '')
    if (panel) panel.hidden = !isSelected
  }
}

const selectEverywhere = (language: string | undefined): void => {
  for (const tab of document.querySelectorAll<HTMLElement>('[role="tab"]')) {
    if (tab.dataset.language === language) select(tab)
  }
}

/** Tabs: a click or the arrow keys select a language. */
export const startTabs = (): void => {
  try {
    selectEverywhere(localStorage[KEY])
  } catch {
    // Storage is blocked: the first language is shown.
  }
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    const choose = (tab: HTMLElement | undefined): void => {
      if (!tab) return
      const before = tab.getBoundingClientRect().top
      selectEverywhere(tab.dataset.language)
      // Samples above may change their height. Scrolling keeps the reader's position.
      scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
      try {
        localStorage[KEY] = tab.dataset.language
      } catch {}
    }
    for (const [at, tab] of tabsOf(list).entries()) {
      tab.addEventListener('click', () => choose(tab))
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
        const next = step && tabsOf(list).at((at + step) % tabsOf(list).length)
        if (!next) return
        choose(next)
        next.focus()
      })
    }
  }
}
