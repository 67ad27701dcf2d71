/** Has the server compare uploaded or read rows. */
import * as m from '../../lib/languages/messages.ts'
import { send } from '../import/api.ts'
import { actions, announce, h } from '../import/dom.ts'
import { t } from '../text.ts'

/** The pause between two calls. */
const PAUSE_MS = 500

/**
 * Compares until no rows are left.
 * @param url of the shadow run
 * @param said the element that shows the progress
 */
export const compare = async (url: string, said: HTMLElement): Promise<void> => {
  said.textContent = t(m.shadow_comparing)
  announce(said.textContent)
  const { signal } = new AbortController()
  let isMore = true
  while (isMore) {
    const answer = await send<{ isMore: boolean }>('POST', `${url}/compare`, {}, signal, (text) => {
      said.textContent = text
    })
    isMore = answer.isMore
    // Another member may be comparing.
    if (isMore) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

export const viewComparison = (href: string): HTMLElement =>
  actions(h('a', { class: 'button', href }, t(m.mails_shadow_button)))
