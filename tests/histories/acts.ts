/** What steps of managers have in common. */
import { expect } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { findLeftOf } from './checks.ts'
import { anyOf } from './steps.ts'
import type { History } from './world.ts'

/** Sends an import, and keeps it to be sent again, or undone. */
export const sendImport = (history: History, path: string, body: object) => {
  const importId = newId()
  const repeat = () => history.manage('POST', path, { ...body, importId })
  history.imports.push({ id: importId, repeat })
  return repeat()
}

/** Undoes an import, whole or not at all. */
export const undoWhole = async (history: History, importId: string): Promise<void> => {
  const before = await findLeftOf(history, importId)
  const { status } = await history.manage('POST', `/imports/${importId}/undo`, {})
  const after = await findLeftOf(history, importId)
  if (status === 200) expect(after, 'what is left of an import that was undone').toEqual([])
  if (status === 409) expect(after, 'an undo that was refused').toEqual(before)
}

/** A step with one of the partners. */
export const withPartner =
  <T extends { which: number }>(
    take: (
      history: History,
      partner: { id: string; programId: string },
      drawn: T,
    ) => Promise<unknown>,
  ) =>
  async (history: History, drawn: T) => {
    const partner = anyOf(await history.partners(), drawn.which)
    return partner && take(history, partner, drawn)
  }

/** A step with one of the ids that a query finds. */
export const withOne =
  <T extends { which: number }>(
    text: string,
    take: (history: History, id: string, drawn: T) => Promise<unknown>,
  ) =>
  async (history: History, drawn: T) => {
    const found = anyOf(await history.query<{ id: string }>(text), drawn.which)
    return found && take(history, found.id, drawn)
  }
