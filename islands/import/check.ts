/** The preview step: a dry run, its report, and the decision to import. */

import type { FormOfLinks } from '../../lib/imports/partners/former-links.ts'
import * as m from '../../lib/languages/messages.ts'
import { t } from '../text.ts'
import { balancesPart } from './balances-part.ts'
import { deltasPart, partnersHere } from './deltas.ts'
import { actions, announce, button, byId, h, option, showStep } from './dom.ts'
import type { CsvFile } from './file.ts'
import { bodyOf, callsOf, outcomesOf, rowsOf, urlOf } from './plan.ts'
import { groupChoices, groupsHere } from './questions/group-choices.ts'
import { linkQuestions } from './questions/link-questions.ts'
import { programOf } from './questions/program.ts'
import { reportOf } from './report.ts'
import { type Deltas, deltasOf } from './rules/deltas.ts'
import type { GroupHere } from './rules/groups.ts'
import { listed } from './rules/lists.ts'
import {
  expectNewPartners,
  keepOwners,
  leaveExisting,
  type Outcomes,
  outcomesWith,
} from './rules/outcomes.ts'
import type { Mapping } from './rules/reading/columns.ts'
import type { Rows } from './rules/reading/records.ts'
import { inactiveKinds, rowsWith } from './rules/reading/statuses.ts'
import { effects, offer, ownedCustomers, summary } from './rules/report.ts'
import { linkFormsOf } from './rules/site.ts'
import {
  type BalancesElsewhere,
  balancesElsewhere,
  describeBalancesElsewhere,
} from './rules/warnings.ts'
import { runCalls } from './run.ts'
import { sourceNotes } from './source/source-notes.ts'
import type { Job, Options } from './store.ts'

type Target = Pick<Job, 'workspace' | 'programId' | 'programName'>

/** Runs the dry run, and asks whether to import. @returns null to go back to the columns */
export const check = async (
  file: CsvFile,
  mapping: Mapping,
  target: Target,
): Promise<Job | null> => {
  showStep(t(m.import_reading_rows), h('p', {}, t(m.import_rows, { count: file.records.length })))
  const rows = await rowsOf(file, mapping)
  const calls = callsOf(rows, false)
  const options: Options = {
    mails: mailBox().checked,
    balances: balanceBox().checked,
    completeExisting: false,
    statuses: [],
    linkForms: {},
    groups: {},
    keepOwners: false,
    creditKnown: false,
  }
  const answers = await runCalls({
    title: t(m.import_preparing),
    calls,
    url: (call) => urlOf(target.workspace, call),
    // Always includes balances, so that their errors, and partners without one, are known before
    // the options are chosen.
    body: (call) =>
      bodyOf(call, target.programId, { ...options, balances: true, completeExisting: true }, null),
    leave: t(m.import_back_to_columns),
  })
  if (!answers) return null
  const answered = {
    ...outcomesOf(rows, calls, answers),
    elsewhere: balancesElsewhere(answers),
    linkForms: linkFormsOf(answers),
  }
  const exists = answered.partners.some(({ result }) => result && result.status !== 'created')
  const here = exists ? await partnersHere(target.workspace, target.programId) : []
  const groups = rows.partners.some(({ group }) => group)
    ? await groupsHere(target.workspace, target.programId)
    : []
  return decide(file, mapping, target, rows, { ...answered, groups }, deltasOf(answered, here))
}

const mailBox = () => byId('import-mails', HTMLInputElement)
const balanceBox = () => byId('import-balances', HTMLInputElement)

const decide = (
  file: CsvFile,
  mapping: Mapping,
  target: Target,
  rows: Rows,
  {
    elsewhere,
    linkForms,
    groups: groupsOfProgram,
    ...answered
  }: Outcomes & { elsewhere: BalancesElsewhere[]; linkForms: FormOfLinks[]; groups: GroupHere[] },
  deltas: Deltas,
): Promise<Job | null> =>
  new Promise((resolve) => {
    const mails = option(t(m.imports_send_moved), `${mailBox().id}-now`, mailBox().checked)
    const links = linkQuestions(linkForms)
    const balances = option(
      t(m.imports_opening_balances),
      `${balanceBox().id}-now`,
      balanceBox().checked,
    )
    const lacking = answered.partners.filter(({ result }) => result?.status === 'completed').length
    const complete = option(
      t(m.import_complete_existing, { count: lacking }),
      'import-complete-existing',
    )
    const statuses = inactiveKinds(rows.partners).map(({ kind, count, words }) => ({
      kind,
      ...option(
        t(m.import_of_status, { kind, count, words: listed(words, MAX_WORDS) }),
        `import-status-${kind}`,
      ),
    }))
    const groups = groupChoices(
      answered.partners.flatMap(({ row, result }) => (result?.status === 'created' ? [row] : [])),
      groupsOfProgram,
    )
    const moving = ownedCustomers(expectNewPartners(answered, true)).length
    const owners = option(t(m.import_keep_owners), 'import-keep-owners')
    const known = option(t(m.import_credit_known), 'import-credit-known')
    const report = h('div', {})
    const sums = h('section', {})

    const show = () => {
      const said = links.answers()
      mails.box.disabled = said === null
      const options: Options = {
        mails: said !== null && mails.box.checked,
        balances: balances.box.checked,
        completeExisting: balances.box.checked && complete.box.checked,
        statuses: statuses.flatMap(({ kind, box }) => (box.checked ? [kind] : [])),
        linkForms: said ?? {},
        groups: groups.choices(),
        keepOwners: owners.box.checked,
        creditKnown: known.box.checked,
      }
      const chosen = rowsWith(rows, options.statuses)
      mailBox().checked = mails.box.checked
      balanceBox().checked = options.balances
      const expected = expectNewPartners(outcomesWith(answered, chosen), options.balances)
      const completed = options.completeExisting ? expected : leaveExisting(expected)
      const outcomes = options.keepOwners ? keepOwners(completed) : completed
      const does = effects(outcomes, options, elsewhere)
      mails.effect.textContent = said === null ? t(m.import_say_links_first) : does.mails
      balances.effect.textContent = does.balances
      complete.box.disabled = !options.balances
      known.effect.textContent = t(m.import_changes_setting, { programName: target.programName })
      sums.replaceChildren(...balancesPart(chosen))
      report.replaceChildren(
        ...reportOf({
          file,
          mapping,
          outcomes,
          dryRun: true,
          withBalances: options.balances,
          elsewhere,
        }),
      )
      const offered = offer(outcomes, {
        programName: target.programName,
        withBalances: options.balances,
      })
      start.textContent = offered ?? t(m.import_nothing)
      start.disabled = offered === null
      return { options, outcomes }
    }
    const start = button(t(m.layout_import), () => {
      const { options } = show()
      const calls = callsOf(rowsWith(rows, options.statuses), options.balances).length
      resolve({ ...target, importId: crypto.randomUUID(), file, mapping, options, calls })
    })

    showStep(
      t(m.import_preview),
      h('p', {}, t(m.import_not_yet)),
      report,
      ...deltasPart(deltas, target.programName),
      ...(file.source ? sourceNotes(file.source, target.workspace) : []),
      statuses.length > 0
        ? h(
            'fieldset',
            {},
            h('legend', {}, t(m.import_inactive)),
            h('p', { class: 'hint' }, t(m.import_inactive_hint)),
            ...statuses.map(({ part }) => part),
          )
        : null,
      groups.part,
      sums,
      rows.partners.length > 0
        ? h(
            'fieldset',
            {},
            h('legend', {}, t(lacking > 0 ? m.import_options : m.imports_options)),
            mails.part,
            ...links.parts,
            balances.part,
            lacking > 0 ? complete.part : null,
          )
        : null,
      rows.customers.length > 0 && programOf(target.programId)?.creditsCustomers === false
        ? h(
            'fieldset',
            {},
            h('legend', {}, t(m.import_sales_of_customers)),
            h('p', { class: 'note' }, t(m.import_would_earn_nothing)),
            known.part,
          )
        : null,
      moving > 0
        ? h('fieldset', {}, h('legend', {}, t(m.import_customers_of_others)), owners.part)
        : null,
      actions(
        start,
        button(t(m.import_back_to_columns), () => resolve(null), 'quiet'),
      ),
    )
    for (const select of links.selects) select.addEventListener('change', () => show())
    for (const { box, effect } of [mails, balances, complete, owners, known, ...statuses]) {
      box.addEventListener('change', () => {
        show()
        announce(effect.textContent || (start.textContent ?? ''))
      })
    }
    const { outcomes, options } = show()
    const { partners, customers } = summary(outcomes, {
      dryRun: true,
      withBalances: options.balances,
    })
    announce(
      [
        partners && t(m.import_partners_are, { partners }),
        customers && t(m.import_customers_are, { customers }),
        ...(options.balances
          ? elsewhere.map((found) => describeBalancesElsewhere(found, { dryRun: true }))
          : []),
      ]
        .filter(Boolean)
        .join(' '),
    )
  })

/** With more words, the column must hold something else. */
const MAX_WORDS = 5
