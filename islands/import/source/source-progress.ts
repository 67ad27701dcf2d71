/** Shows the progress of reading another platform, and loads its rows as a file. */
import type { SourceRow } from '../../../lib/imports/sources/source-rows.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { actions, announce, button, h, rest, showStep } from '../dom.ts'
import type { CsvFile } from '../file.ts'
import { sourceRecords } from '../rules/source.ts'
import { signInLinks } from '../run.ts'
import {
  discardSource,
  platformOf,
  progressText,
  type Reader,
  read,
  type Source,
  titleOf,
  urlOf,
} from './source.ts'

const LOOK_EVERY_MS = 2_000
/** How often progress is announced. */
const ANNOUNCE_EVERY_MS = 10_000
const ROWS = 1_000

/** Why a request failed. @param status 0 without a response */
const troubleOf = (status: number): (Node | string)[] => {
  if (status === 404) return [t(m.import_was_discarded)]
  if (status === 401) return [t(m.import_session_expired), signInLinks('sign_in')]
  return [t(m.import_page_tries_again)]
}

/** The progress of a list, as a line with a bar. */
const listPart = ({ resource, read, total, isDone }: Source['lists'][number]): HTMLElement => {
  const list = t(m.import_list, { resource })
  const isPartly = !isDone && read > 0 && total !== null
  const state = isPartly ? 'partly' : isDone || read > 0 ? 'read' : total ? 'waiting' : 'unknown'
  return h(
    'p',
    { class: 'progress' },
    t(m.import_list_state, { list, state, read, total: total ?? 0 }),
    h('progress', {
      'aria-label': list,
      max: isDone ? Math.max(read, 1) : Math.max(total ?? 0, read, 1),
      value: isDone ? Math.max(read, 1) : read,
    }),
  )
}

/**
 * The step that shows a reading.
 * @property show shows its progress and problems
 * @property isLeft whether the user has left it
 */
type Step = {
  show: (problems?: (Node | string)[]) => void
  say: (text: string) => void
  isLeft: () => boolean
}

/**
 * Shows the progress until everything is read.
 *
 * @param finish is called then; undefined keeps the step open
 * @returns null if the user left or discarded the reading, or it failed
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
      t(m.import_discard),
      () => void discardSource(workspace, source.id).then(() => leave(null)),
      'quiet',
    )
    const later = button(t(m.import_back), () => leave(null), 'quiet')
    showStep(titleOf(reader, first), lists, note, problem, actions(later, discard))

    const show = (trouble: (Node | string)[] = []) => {
      lists.replaceChildren(...source.lists.map(listPart))
      const waits = source.status === 'reading' && source.failure
      note.textContent = waits
        ? t(m.import_tried_again, { message: source.failure?.message ?? '' })
        : t(m.import_can_close)
      problem.replaceChildren(...trouble)
      problem.hidden = trouble.length === 0
      if (performance.now() - announced > ANNOUNCE_EVERY_MS) {
        announce(progressText(source))
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
            t(m.import_reading_failed, { platform: name, message: source.failure?.message ?? '' }),
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

/**
 * Loads the rows of a reading as a file.
 * @returns undefined if there are none, or the user left
 */
export const loadFile =
  (workspace: string) =>
  async (source: Source, { show, say, isLeft }: Step): Promise<CsvFile | undefined> => {
    const { name, caution } = platformOf(source.platform)
    const rows: SourceRow[] = []
    let cursor: string | null = null
    do {
      show()
      say(t(m.import_rows_loaded, { count: rows.length }))
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
      show([t(m.import_no_partners_read, { platform: name })])
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
