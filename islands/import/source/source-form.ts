/** The form that reads another platform by its API, and the list of readings. */
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { Stopped, send } from '../api.ts'
import { actions, announce, button, byId, h } from '../dom.ts'
import { signInLinks } from '../run.ts'
import {
  discardSource,
  platformOf,
  type Reader,
  read,
  type Source,
  stateOf,
  urlOf,
} from './source.ts'

/** The action of a reading. A failed one needs its token again. */
const ACTIONS: Record<Source['status'], Message> = {
  ready: m.import_review_rows,
  reading: m.import_show_progress,
  failed: m.import_continue_reading,
}

/** Starts a reading of a platform, or opens an existing one. Resolves with it. */
export const askSource = (reader: Reader, { signal }: AbortController): Promise<Source> =>
  new Promise((resolve) => {
    const { workspace, purpose } = reader
    const form = byId('source-form', HTMLFormElement)
    const platform = byId('source-platform', HTMLSelectElement)
    const token = byId('source-token', HTMLInputElement)
    const account = byId('source-account', HTMLInputElement)
    const problem = byId('source-problem', HTMLElement)
    const start = byId('source-start', HTMLButtonElement)
    start.disabled = false

    const show = () => {
      const { account: label, hint } = platformOf(platform.value)
      byId('source-token-hint', HTMLElement).textContent = hint
      byId('source-account-field', HTMLElement).hidden = !label
      byId('source-account-label', HTMLElement).textContent = label
      account.required = Boolean(label)
    }
    // A failed reading continues where it stopped, with its token.
    const again = ({ platform: id, account: of }: Source) => {
      platform.value = id
      account.value = of ?? ''
      show()
      token.focus()
    }
    const list = () =>
      showSources(reader, (source) =>
        source.status === 'failed' ? again(source) : resolve(source),
      )
    const refuse = (error: unknown) => {
      problem.replaceChildren(
        error instanceof Error ? error.message : String(error),
        error instanceof Stopped && error.signIn ? signInLinks(error.signIn) : '',
      )
      problem.hidden = false
      start.disabled = false
      token.focus()
      // Another member may have started the reading first.
      void list()
    }
    const submit = async () => {
      problem.hidden = true
      const programId = reader.programId()
      if (programId === null || !form.reportValidity()) return
      start.disabled = true
      announce(t(m.import_token_tried))
      try {
        const body = {
          programId,
          purpose,
          platform: platform.value,
          token: token.value,
          ...(account.required && { account: account.value }),
        }
        const source = await send<Source>('POST', urlOf(workspace), body, signal, announce)
        token.value = ''
        resolve(source)
      } catch (error) {
        refuse(error)
      }
    }
    show()
    platform.addEventListener('change', show, { signal })
    form.addEventListener(
      'submit',
      (event) => {
        event.preventDefault()
        void submit()
      },
      { signal },
    )
    void list()
  })

/** Lists readings that are not imported yet. */
const showSources = async (reader: Reader, open: (source: Source) => void): Promise<void> => {
  const { workspace, purpose } = reader
  const { body } = await read<{ data: Source[] }>(urlOf(workspace))
  const part = byId('import-sources', HTMLElement)
  const sources = (body?.data ?? []).filter(
    (source) =>
      source.purpose === purpose &&
      // A shadow run has stored its rows already.
      (purpose === 'import' ||
        (source.programId === reader.programId() && source.status !== 'ready')),
  )
  part.hidden = sources.length === 0
  part.replaceChildren(
    h('h2', {}, t(m.import_readings)),
    h(
      'ul',
      { class: 'readings' },
      ...sources.map((source) =>
        h(
          'li',
          {},
          h('p', {}, stateOf(reader, source)),
          actions(
            button(t(ACTIONS[source.status]), () => open(source)),
            button(
              t(m.import_discard),
              () => void discardSource(workspace, source.id).then(() => showSources(reader, open)),
              'quiet',
            ),
          ),
        ),
      ),
    ),
  )
}
