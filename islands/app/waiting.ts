/** Keeps up to date what became of a sign-in link, while somebody looks at the page of the browser that asked for it. */

const PAUSE_MS = 5_000

/** Ten minutes, the lifetime of a link. */
const MOST_REQUESTS = 120

export const startWaiting = (): void => {
  const state = document.querySelector<HTMLElement>('#link-state[data-follow]')
  if (state) void follow(state, state.dataset.follow ?? '')
}

const follow = async (state: HTMLElement, path: string): Promise<void> => {
  for (let request = 0; request < MOST_REQUESTS; request++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (document.hidden)
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
    const fresh = await read(path)
    if (!fresh) continue
    if (state.innerHTML !== fresh.innerHTML) state.replaceChildren(...fresh.childNodes)
    if (!fresh.dataset.follow) return
  }
}

/** The state as it is now; undefined if it cannot be read at present. */
const read = async (path: string): Promise<HTMLElement | undefined> => {
  try {
    const response = await fetch(path, { headers: { Accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector<HTMLElement>('#link-state') ?? undefined
  } catch {
    return undefined
  }
}
