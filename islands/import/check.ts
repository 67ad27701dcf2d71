/** The preview step: a dry run, its report, and the decision to import. */

import { counted } from '../../lib/plural.ts'
import { announce, button, byId, h, showStep } from './dom.ts'
import type { CsvFile } from './file.ts'
import { bodyOf, callsOf, outcomesOf, rowsOf, urlOf } from './plan.ts'
import { reportOf } from './report.ts'
import type { Columns } from './rules/columns.ts'
import { expectedOf, expectNewPartners, type Outcomes } from './rules/outcomes.ts'
import type { Rows } from './rules/records.ts'
import { effects, offer, summary } from './rules/report.ts'
import { type BalancesElsewhere, balancesElsewhere, describeBalancesElsewhere } from './rules/warnings.ts'
import { runCalls } from './run.ts'
import type { Job, Options } from './store.ts'

type Target = Pick<Job, 'workspace' | 'programId' | 'programName'>

/** Runs the dry run, and asks whether to import. @returns null to go back to the columns */
export const check = async (file: CsvFile, columns: Columns, target: Target): Promise<Job | null> => {
  showStep('Reading rows', h('p', {}, `${counted(file.records.length, 'row')}.`))
  const rows = await rowsOf(file, columns)
  const calls = callsOf(rows, false)
  const options: Options = { mails: mailBox().checked, balances: balanceBox().checked }
  const answers = await runCalls({
    title: 'Preparing preview',
    calls,
    url: (call) => urlOf(target.workspace, call),
    // Always includes balances, so that their errors are known before the option is chosen.
    body: (call) => bodyOf(call, target.programId, { ...options, balances: true }, true),
    leave: 'Back to columns',
  })
  if (!answers) return null
  const answered = { ...outcomesOf(rows, calls, answers), elsewhere: balancesElsewhere(answers) }
  return decide(file, columns, target, rows, answered)
}

const mailBox = () => byId('import-mails', HTMLInputElement)
const balanceBox = () => byId('import-balances', HTMLInputElement)

const decide = (
  file: CsvFile,
  columns: Columns,
  target: Target,
  rows: Rows,
  { elsewhere, ...answered }: Outcomes & { elsewhere: BalancesElsewhere[] },
): Promise<Job | null> =>
  new Promise((resolve) => {
    const mails = option('Send new partners the “We’ve moved” email', mailBox())
    const balances = option('Import opening balances', balanceBox())
    const report = h('div', {})

    const show = () => {
      const options: Options = { mails: mails.box.checked, balances: balances.box.checked }
      mailBox().checked = options.mails
      balanceBox().checked = options.balances
      const outcomes = expectNewPartners(answered, options.balances)
      const does = effects(outcomes, options, elsewhere)
      mails.effect.textContent = does.mails
      balances.effect.textContent = does.balances
      report.replaceChildren(
        ...reportOf({ file, columns, outcomes, dryRun: true, withBalances: options.balances, elsewhere }),
      )
      const offered = offer(outcomes, {
        programName: target.programName,
        withBalances: options.balances,
      })
      start.textContent = offered ?? 'Nothing to import'
      start.disabled = offered === null
      return { options, outcomes }
    }
    const start = button('Import', () => {
      const { options, outcomes } = show()
      const { partners, customers } = expectedOf(outcomes)
      const expected = { partners: [...partners], customers: [...customers] }
      resolve({ ...target, file, columns, options, expected, calls: callsOf(rows, options.balances).length })
    })

    showStep(
      'Import preview',
      h('p', {}, 'Nothing has been imported yet.'),
      report,
      rows.partners.length > 0
        ? h('fieldset', {}, h('legend', {}, 'Options for new partners'), mails.part, balances.part)
        : null,
      h(
        'p',
        { class: 'actions' },
        start,
        button('Back to columns', () => resolve(null), 'quiet'),
      ),
    )
    for (const { box, effect } of [mails, balances]) {
      box.addEventListener('change', () => {
        show()
        announce(effect.textContent ?? '')
      })
    }
    const { outcomes, options } = show()
    const { partners, customers } = summary(outcomes, { dryRun: true, withBalances: options.balances })
    announce(
      [
        partners && `Partners: ${partners}.`,
        customers && `Customers: ${customers}.`,
        ...(options.balances
          ? elsewhere.map((found) => describeBalancesElsewhere(found, { dryRun: true }))
          : []),
      ]
        .filter(Boolean)
        .join(' '),
    )
  })

/** A copy of a checkbox on the form, with its effect for this file. */
const option = (label: string, like: HTMLInputElement) => {
  const box = h('input', { type: 'checkbox', id: `${like.id}-now`, 'aria-describedby': `${like.id}-effect` })
  box.checked = like.checked
  const effect = h('span', { class: 'hint', id: `${like.id}-effect` })
  return { box, effect, part: h('p', { class: 'option' }, box, h('label', { for: box.id }, label), effect) }
}
