/** Shows how far another platform is read by its API, and takes its rows as those of a file. */
import type { SourceRow } from '../../lib/imports/sources/source.ts'
import { counted } from '../../lib/plural.ts'
import { announce, button, h, rest, showStep } from './dom.ts'
import type { CsvFile } from './file.ts'
import { sourceRecords } from './rules/source.ts'
import { signInLinks } from './run.ts'
import {
  discardSource,
  platformOf,
  type Reader,
  read,
  type Source,
  stateOf,
  titleOf,
  urlOf,
} from './source.ts'

const LOOK_EVERY_MS = 2_000
/** Progress is announced this often at most. */
const ANNOUNCE_EVERY_MS = 10_000
const ROWS = 1_000

/** Why the server has not answered with what was asked. @param status 0 if it has not answered */
const troubleOf = (status: number): (Node | string)[] => {
  if (status === 404) return ['It was discarded.']
  if (status === 401) return ['Your session has expired. ', signInLinks('sign_in')]
  return ['The server cannot be reached. The page tries again.']
}

const NAMES: Record<Source['lists'][number]['resource'], string> = {
  customers: 'Customers',
  coupons: 'Coupons',
  links: 'Links',
  partners: 'Partners',
  commissions: 'Commissions',
}

const figure = (number: number): string => number.toLocaleString('en')

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
        if (status === 404) return show(troubleOf(status))
        if (status !== 200) show(troubleOf(status))
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
      if (!body) {
        show(troubleOf(status))
        if (status === 404) return
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
