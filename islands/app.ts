/** The script of every page: copy buttons, and scrolling the current section into view on narrow screens. */

const FEEDBACK_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const { innerHTML: label } = button
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy ?? '')
      button.textContent = 'Copied'
    } catch {
      // The clipboard is blocked, for example without https. Select the text instead.
      const text = button.parentElement?.querySelector('code')
      if (text) getSelection()?.selectAllChildren(text)
      button.textContent = 'Press Ctrl+C'
    }
    setTimeout(() => {
      button.innerHTML = label
    }, FEEDBACK_MS)
  })
}

document
  .querySelector('.sections [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
