/**
 * The little that every page does in the browser: copying a text, which is there to select without this, and showing
 * on a narrow screen which of the sections it is.
 */

const FEEDBACK_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const { innerHTML: label } = button
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy ?? '')
      button.textContent = 'Copied'
    } catch {
      // Not allowed, as on a page without https: the text next to the button is selected instead.
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
