import { expect, vi } from 'vitest'
import type { useDatabase } from './merchant.ts'

type Query = ReturnType<typeof useDatabase>['query']

/** Deletes a workspace with all that is in it, whatever money is under way. */
export const deleteWorkspace = async (query: Query, id: string): Promise<void> => {
  await query(
    `update workspaces set deletes_at = now() - interval '1 second', deletion_by = 'ann@shop.example', erasing_since = now()
     where id = $1`,
    [id],
  )
  // Another test's deletion may be the one that is found.
  await vi.waitFor(
    async () => {
      await query('select erase_workspaces(now(), 500)')
      expect(await query('select from workspaces where id = $1', [id])).toEqual([])
    },
    { timeout: 60_000, interval: 5 },
  )
}
