/** Reads the other platform's commissions by its API, and has them compared. */
import * as m from '../../lib/languages/messages.ts'
import { Stopped } from '../import/api.ts'
import { announce, byId, h, showStep } from '../import/dom.ts'
import { type Reader, rowsRead, type Source } from '../import/source/source.ts'
import { askSource } from '../import/source/source-form.ts'
import { followSource } from '../import/source/source-progress.ts'
import { t } from '../text.ts'
import { compare, viewComparison } from './compare.ts'

/** Compares the rows of a reading. */
const finish = async ({ dataset }: HTMLElement, { lists }: Source): Promise<void> => {
  const said = h('p', {})
  showStep(t(m.shadow_comparison), said)
  await compare(dataset.url ?? '', said)
  showStep(
    t(m.shadow_compared),
    h('p', {}, t(m.shadow_commissions_read, { count: rowsRead(lists) })),
    viewComparison(dataset.back ?? ''),
  )
  announce(t(m.shadow_are_compared))
}

/**
 * Shows the form whenever the user returns to it.
 * @param fail shows why the comparison stopped
 */
export const readByApi = async (
  page: HTMLElement,
  fail: (message: string) => void,
): Promise<void> => {
  const { workspace = '', program = '' } = page.dataset
  const reader: Reader = {
    workspace,
    purpose: 'shadow',
    programId: () => program,
    programNameOf: () => undefined,
  }
  for (;;) {
    const listening = new AbortController()
    const source = await askSource(reader, listening)
    listening.abort()
    const read = await followSource(reader, source, async (done) => done)
    if (read) {
      await finish(page, read).catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error
        fail(error.message)
      })
      return
    }
    byId('import-stage', HTMLElement).replaceChildren()
    byId('import-choose', HTMLElement).hidden = false
  }
}
