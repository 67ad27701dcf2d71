/**
 * Updates a part of a page while the tab is visible: the state of a sign-in link, or the progress
 * of an import's mails.
 */

const PAUSE_MS = 5_000

/** A quarter of an hour: longer than a link is valid, and than the mails of a large import take. */
export const MOST_REQUESTS = 180

/** Waits for the next request, and until the tab is visible. */
export const nextTurn = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  while (document.hidden)
    await new Promise((resolve) =>
      document.addEventListener('visibilitychange', resolve, { once: true }),
    )
}

export const startWaiting = (): void => {
  const state = document.querySelector<HTMLElement>('[id][data-follow]')
  if (state) void follow(state, state.dataset.follow ?? '')
}

const follow = async (state: HTMLElement, path: string): Promise<void> => {
  for (let request = 0; request < MOST_REQUESTS; request++) {
    await nextTurn()
    const fresh = await read(path, state.id)
    if (!fresh) continue
    if (state.innerHTML !== fresh.innerHTML) state.replaceChildren(...fresh.childNodes)
    if (!fresh.dataset.follow) return
  }
}

/** The current state; undefined if the request fails. */
const read = async (path: string, id: string): Promise<HTMLElement | undefined> => {
  try {
    const response = await fetch(path, { headers: { Accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.getElementById(id) ?? undefined
  } catch {
    return undefined
  }
}
