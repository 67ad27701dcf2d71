/** Reading another platform by its API: starts it, shows how far it is, and takes its rows as those of a file. */
import type { Purpose, SourceRow } from '../../lib/imports/sources/source.ts'
import type { ImportSourceResponse } from '../../lib/imports/sources/sources.responses.ts'
import { counted } from '../../lib/plural.ts'
import { asOpener, Stopped, send } from './api.ts'
import { announce, button, byId, h, rest, showStep } from './dom.ts'
import type { CsvFile } from './file.ts'
import { sourceRecords } from './rules/source.ts'
import { signInLinks } from './run.ts'

export type Source = ImportSourceResponse

/**
 * What a page reads for.
 *
 * @property programId of the program that is read for; null if the user has to choose one first
 * @property targetOf what is read into, in words
 */
export type Reader = {
  workspace: string
  purpose: Purpose
  programId: () => string | null
  targetOf: (source: Source) => string
}

const urlOf = (workspace: string, path = ''): string =>
  `/api/workspaces/${encodeURIComponent(workspace)}/import-sources${path}`

const LOOK_EVERY_MS = 2_000
/** Progress is announced this often at most. */
const ANNOUNCE_EVERY_MS = 10_000
const ROWS = 1_000
const TIMEOUT_MS = 30_000

/** What the platform's menu says of one. */
const platformOf = (id: string) => {
  const options = [...byId('source-platform', HTMLSelectElement).options]
  const { textContent = id, dataset = {} } = options.find(({ value }) => value === id) ?? {}
  const { account = '', hint = '', caution = '' } = dataset
  return { name: textContent, account, hint, caution }
}

/** Reads JSON. @returns the status, which is 0 if there is no answer */
const read = async <Body>(url: string): Promise<{ status: number; body: Body | null }> => {
  try {
    const answer = await fetch(url, { headers: asOpener(), signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: answer.status, body: answer.ok ? await answer.json() : null }
  } catch {
    return { status: 0, body: null }
  }
}

/** Deletes what was read. Whoever is too late, or offline, leaves it to be deleted later. */
export const discardSource = async (workspace: string, id: string): Promise<void> => {
  await fetch(urlOf(workspace, `/${id}`), { method: 'DELETE', headers: asOpener() }).catch(() => {})
}

/** Lets the user start to read a platform, or go on with one that is read. Resolves with it. */
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
    // One that has failed goes on where it was, with its token.
    const again = ({ platform: id, account: of }: Source) => {
      platform.value = id
      account.value = of ?? ''
      show()
      token.focus()
    }
    const list = () =>
      showSources(reader, (source) => (source.status === 'failed' ? again(source) : resolve(source)))
    const refuse = (error: unknown) => {
      problem.replaceChildren(
        error instanceof Error ? error.message : String(error),
        error instanceof Stopped && error.signIn ? signInLinks(error.signIn) : '',
      )
      problem.hidden = false
      start.disabled = false
      token.focus()
      // Somebody else may have been quicker.
      void list()
    }
    const submit = async () => {
      problem.hidden = true
      const programId = reader.programId()
      if (programId === null || !form.reportValidity()) return
      start.disabled = true
      announce('The token is tried.')
      try {
        const body = {
          programId,
          purpose,
          platform: platform.value,
          token: token.value,
          ...(account.required && { account: account.value }),
        }
        const source = await send<Source>('POST', urlOf(workspace), body, signal, ({ why, seconds }) =>
          announce(`${why} Retrying in ${counted(seconds, 'second')}.`),
        )
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

/** Lists what is read, or was, and not imported yet. */
const showSources = async (reader: Reader, open: (source: Source) => void): Promise<void> => {
  const { workspace, purpose } = reader
  const { body } = await read<{ data: Source[] }>(urlOf(workspace))
  const part = byId('import-sources', HTMLElement)
  const sources = (body?.data ?? []).filter(
    (source) =>
      source.purpose === purpose &&
      // What was read for a shadow run is there already.
      (purpose === 'import' || (source.programId === reader.programId() && source.status !== 'ready')),
  )
  part.hidden = sources.length === 0
  part.replaceChildren(
    h('h2', {}, 'Readings by API'),
    h(
      'ul',
      { class: 'readings' },
      ...sources.map((source) =>
        h(
          'li',
          {},
          h('p', {}, `${titleOf(reader, source)}, started by ${source.startedBy}: ${stateOf(source)}`),
          h(
            'p',
            { class: 'actions' },
            button(ACTIONS[source.status], () => open(source)),
            button(
              'Discard',
              () => void discardSource(workspace, source.id).then(() => showSources(reader, open)),
              'quiet',
            ),
          ),
        ),
      ),
    ),
  )
}

const titleOf = ({ targetOf }: Reader, source: Source): string =>
  `${platformOf(source.platform).name} into ${targetOf(source)}`

/** What is done with a reading. One that has failed needs its token again. */
const ACTIONS: Record<Source['status'], string> = {
  ready: 'Review rows',
  reading: 'Show progress',
  failed: 'Continue reading',
}

const NAMES: Record<Source['lists'][number]['resource'], string> = {
  customers: 'Customers',
  coupons: 'Coupons',
  links: 'Links',
  partners: 'Partners',
  commissions: 'Commissions',
}

const figure = (number: number): string => number.toLocaleString('en')

const stateOf = ({ status, lists, failure }: Source): string => {
  if (status === 'failed') return `not read. ${failure?.message ?? ''}`
  const read = lists.reduce((sum, list) => sum + list.read, 0)
  return status === 'ready' ? `${counted(read, 'row')} read.` : `reading, ${counted(read, 'row')} so far.`
}

/** How far a list is, as a line with a bar. */
const listPart = ({ resource, read, total, isDone }: Source['lists'][number]): HTMLElement => {
  const of = total === null ? '' : ` of ${figure(total)}`
  const text = isDone
    ? `${figure(read)} read`
    : read > 0
      ? `${figure(read)}${of} read`
      : total
        ? `${figure(total)} to read`
        : 'to read'
  return h(
    'p',
    { class: 'progress' },
    `${NAMES[resource]}: ${text}`,
    h('progress', {
      'aria-label': NAMES[resource],
      max: isDone ? Math.max(read, 1) : Math.max(total ?? 0, read, 1),
      value: isDone ? Math.max(read, 1) : read,
    }),
  )
}

/** A reading that is shown. @property show shows its progress, and problems @property isLeft whether the user has left it */
type Step = {
  show: (problems?: (Node | string)[]) => void
  say: (text: string) => void
  isLeft: () => boolean
}

/**
 * Shows the progress until everything is read.
 *
 * @param finish is called then; undefined leaves the step open, with what it has shown
 * @returns null if the user has left or discarded it, or it has failed
 */
export const followSource = <Result>(
  reader: Reader,
  first: Source,
  finish: (source: Source, step: Step) => Promise<Result | undefined>,
): Promise<Result | null> =>
  new Promise((resolve) => {
    let source = first
    let isLeft = false
    let announced = 0
    const { workspace } = reader
    const { name } = platformOf(first.platform)
    const leave = (result: Result | null) => {
      isLeft = true
      resolve(result)
    }
    const lists = h('div', {})
    const problem = h('div', { class: 'problem', role: 'alert', hidden: true })
    const note = h('p', { class: 'hint' })
    const discard = button(
      'Discard',
      () => void discardSource(workspace, source.id).then(() => leave(null)),
      'quiet',
    )
    const later = button('Back', () => leave(null), 'quiet')
    showStep(
      `Reading ${titleOf(reader, first)}`,
      lists,
      note,
      problem,
      h('p', { class: 'actions' }, later, discard),
    )

    const show = (trouble: (Node | string)[] = []) => {
      lists.replaceChildren(...source.lists.map(listPart))
      const waits = source.status === 'reading' && source.failure
      note.textContent = waits
        ? `${source.failure?.message ?? ''} It is tried again.`
        : 'You can close this page. Reading goes on without it, and the token is deleted at its end.'
      problem.replaceChildren(...trouble)
      problem.hidden = trouble.length === 0
      if (performance.now() - announced > ANNOUNCE_EVERY_MS) {
        announce(stateOf(source))
        announced = performance.now()
      }
    }
    const step: Step = {
      show,
      say: (text) => {
        note.textContent = text
      },
      isLeft: () => isLeft,
    }

    const follow = async () => {
      while (!isLeft) {
        const { status, body } = await read<Source>(urlOf(workspace, `/${source.id}`))
        if (isLeft) return
        if (body) source = body
        if (status === 404) return show(['It was discarded.'])
        if (status === 401) show(['Your session has expired. ', signInLinks('sign_in')])
        else if (status !== 200) show(['The server cannot be reached. The page tries again.'])
        else if (source.status === 'failed')
          return show([
            `${name} was not read to the end. ${source.failure?.message ?? ''} What was read is kept for a week: go back, and give the token again to continue.`,
          ])
        else if (source.status === 'ready') {
          const result = await finish(source, step)
          if (result !== undefined) leave(result)
          return
        } else show()
        await new Promise((next) => setTimeout(next, LOOK_EVERY_MS))
      }
    }
    show()
    void follow()
  })

/** Loads the rows that were read, as those of a file. @returns undefined if there are none, or the user has left */
export const loadFile =
  (workspace: string) =>
  async (source: Source, { show, say, isLeft }: Step): Promise<CsvFile | undefined> => {
    const { name, caution } = platformOf(source.platform)
    const rows: SourceRow[] = []
    let cursor: string | null = null
    do {
      show()
      say(`${counted(rows.length, 'row')} loaded.`)
      const query = new URLSearchParams({ limit: String(ROWS), ...(cursor !== null && { cursor }) })
      const { status, body } = await read<{ data: SourceRow[]; nextCursor: string | null }>(
        urlOf(workspace, `/${source.id}/rows?${query}`),
      )
      if (isLeft()) return
      if (status === 404) {
        show(['It was discarded.'])
        return
      }
      if (!body) {
        show(
          status === 401
            ? ['Your session has expired. ', signInLinks('sign_in')]
            : ['The server cannot be reached. The page tries again.'],
        )
        await new Promise((next) => setTimeout(next, LOOK_EVERY_MS))
        continue
      }
      rows.push(...body.data)
      cursor = body.nextCursor
      if (cursor === null) break
    } while (!isLeft())
    await rest()
    const { headers, records, notes } = sourceRecords(rows)
    if (records.length === 0) {
      show([`${name} has no partners. Discard this, and check the account.`])
      return
    }
    return {
      name: `${source.platform}.csv`,
      headers,
      records,
      warning: null,
      source: { id: source.id, platform: name, caution, ...notes },
    }
  }
