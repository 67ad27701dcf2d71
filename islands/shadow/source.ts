/** Reads the other platform's commissions by its API, and has them compared. */
import { counted } from '../../lib/plural.ts'
import { Stopped } from '../import/api.ts'
import { announce, byId, h, showStep } from '../import/dom.ts'
import type { Reader, Source } from '../import/source.ts'
import { askSource } from '../import/source-form.ts'
import { followSource } from '../import/source-progress.ts'
import { compare, viewComparison } from './compare.ts'

/** Compares what was read. */
const finish = async ({ dataset }: HTMLElement, { lists }: Source): Promise<void> => {
  const said = h('p', {})
  showStep('Comparison', said)
  await compare(dataset.url ?? '', said)
  const read = lists.reduce((sum, list) => sum + list.read, 0)
  showStep(
    'Commissions compared',
    h('p', {}, `${counted(read, 'commission')} read.`),
    viewComparison(dataset.back ?? ''),
  )
  announce('Commissions compared.')
}

/** Offers the form, as often as the user comes back to it. @param fail shows why the comparison has stopped */
export const readByApi = async (page: HTMLElement, fail: (message: string) => void): Promise<void> => {
  const { workspace = '', program = '' } = page.dataset
  const reader: Reader = {
    workspace,
    purpose: 'shadow',
    programId: () => program,
    targetOf: () => 'the shadow run',
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
