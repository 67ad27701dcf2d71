/** The preview step: a dry run, its report, and the decision to import. */

import type { FormOfLinks } from '../../lib/imports/former-links.ts'
import { formatMoney } from '../../lib/money.ts'
import { counted } from '../../lib/plural.ts'
import { deltasPart, partnersHere } from './deltas.ts'
import { announce, button, byId, h, showStep } from './dom.ts'
import type { CsvFile } from './file.ts'
import { groupChoices, groupsHere } from './group-choices.ts'
import { linkQuestions } from './link-questions.ts'
import { bodyOf, callsOf, outcomesOf, rowsOf, urlOf } from './plan.ts'
import { programOf } from './program.ts'
import { reportOf } from './report.ts'
import { balanceSums } from './rules/balances.ts'
import type { Mapping } from './rules/columns.ts'
import { type Deltas, deltasOf } from './rules/deltas.ts'
import type { GroupHere } from './rules/groups.ts'
import { expectNewPartners, keepOwners, leaveExisting, type Outcomes } from './rules/outcomes.ts'
import type { Rows } from './rules/records.ts'
import { effects, offer, ownedCustomers, summary } from './rules/report.ts'
import { linkFormsOf } from './rules/site.ts'
import { inactiveKinds, rowsWith, type StatusKind } from './rules/statuses.ts'
import { type BalancesElsewhere, balancesElsewhere, describeBalancesElsewhere } from './rules/warnings.ts'
import { runCalls } from './run.ts'
import { sourceNotes } from './source-notes.ts'
import type { Job, Options } from './store.ts'

type Target = Pick<Job, 'workspace' | 'programId' | 'programName'>

/** Runs the dry run, and asks whether to import. @returns null to go back to the columns */
export const check = async (file: CsvFile, mapping: Mapping, target: Target): Promise<Job | null> => {
  showStep('Reading rows', h('p', {}, `${counted(file.records.length, 'row')}.`))
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
    title: 'Preparing preview',
    calls,
    url: (call) => urlOf(target.workspace, call),
    // Always includes balances, so that their errors, and who lacks one, are known before the options are chosen.
    body: (call) =>
      bodyOf(call, target.programId, { ...options, balances: true, completeExisting: true }, null),
    leave: 'Back to columns',
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
    const mails = option(
      'Send new partners the “We’ve moved” email',
      `${mailBox().id}-now`,
      mailBox().checked,
    )
    const links = linkQuestions(linkForms)
    const balances = option('Import opening balances', `${balanceBox().id}-now`, balanceBox().checked)
    const lacking = answered.partners.filter(({ result }) => result?.status === 'completed').length
    const complete = option(
      `Also for ${counted(lacking, 'partner')} who ${lacking === 1 ? 'exists' : 'exist'} and never had one`,
      'import-complete-existing',
    )
    const statuses = inactiveKinds(rows.partners).map(({ kind, count, words }) => ({
      kind,
      ...option(
        `Import ${counted(count, 'partner')} ${STATUS_NAMES[kind]} (${listed(words)})`,
        `import-status-${kind}`,
      ),
    }))
    const groups = groupChoices(
      answered.partners.flatMap(({ row, result }) => (result?.status === 'created' ? [row] : [])),
      groupsOfProgram,
    )
    const moving = ownedCustomers(expectNewPartners(answered, true)).length
    const owners = option('Leave these customers with the partner that they have', 'import-keep-owners')
    const known = option('Credit their sales to their partner', 'import-credit-known')
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
      mails.effect.textContent =
        said === null ? 'First say below whether the old links still work: the email says it.' : does.mails
      balances.effect.textContent = does.balances
      complete.box.disabled = !options.balances
      known.effect.textContent = `Changes ${target.programName}, also for its other known customers: the setting attributeKnownCustomers.`
      sums.replaceChildren(...balancesPart(chosen))
      report.replaceChildren(
        ...reportOf({ file, mapping, outcomes, dryRun: true, withBalances: options.balances, elsewhere }),
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
      const { options } = show()
      const calls = callsOf(rowsWith(rows, options.statuses), options.balances).length
      resolve({ ...target, importId: crypto.randomUUID(), file, mapping, options, calls })
    })

    showStep(
      'Import preview',
      h('p', {}, 'Nothing has been imported yet.'),
      report,
      ...deltasPart(deltas, target.programName),
      ...(file.source ? sourceNotes(file.source) : []),
      statuses.length > 0
        ? h(
            'fieldset',
            {},
            h('legend', {}, 'Partners who were not active'),
            h(
              'p',
              { class: 'hint' },
              'They are left out with their customers, unless you choose them. Whoever is imported is an active partner here.',
            ),
            ...statuses.map(({ part }) => part),
          )
        : null,
      groups.part,
      sums,
      rows.partners.length > 0
        ? h(
            'fieldset',
            {},
            h('legend', {}, lacking > 0 ? 'Options for partners' : 'Options for new partners'),
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
            h('legend', {}, 'Sales of these customers'),
            h(
              'p',
              { class: 'note' },
              'They would earn nothing: the program credits sales that your backend reports only by a click, which customers of the old platform don’t have. Sales that Stripe reports need none, but Stripe reports none here.',
            ),
            known.part,
          )
        : null,
      moving > 0 ? h('fieldset', {}, h('legend', {}, 'Customers of other partners'), owners.part) : null,
      h(
        'p',
        { class: 'actions' },
        start,
        button('Back to columns', () => resolve(null), 'quiet'),
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

const STATUS_NAMES: Record<StatusKind, string> = {
  active: 'who were active',
  pending: 'who waited for approval',
  ended: 'who were rejected or no longer active',
  other: 'of other statuses',
}

/** More words would be a column of something else. */
const MAX_WORDS = 5

const listed = (words: string[]): string =>
  words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).join(', ')}, …` : words.join(', ')

/** The outcomes of some of the rows. */
const outcomesWith = (outcomes: Outcomes, { partners, customers }: Rows): Outcomes => {
  const kept = new Set<object>([...partners, ...customers])
  return {
    partners: outcomes.partners.filter(({ row }) => kept.has(row)),
    customers: outcomes.customers.filter(({ row }) => kept.has(row)),
  }
}

/** What the balances add up to, so that a wrong unit or column shows. */
const balancesPart = ({ partners }: Rows): HTMLElement[] => {
  const sums = balanceSums(partners)
  if (sums.length === 0) return []
  return [
    h('h3', {}, 'Opening balances of these partners'),
    ...sums.map(({ currency, cents, largest }) =>
      h(
        'p',
        {},
        h('strong', {}, formatMoney(cents, currency)),
        `${currency === 'USD' ? '' : ', which is not imported: convert it to USD first'}. The largest: ${largest
          .map((one) => `${one.email} ${formatMoney(one.cents, currency)}`)
          .join(', ')}.`,
      ),
    ),
  ]
}

/** A checkbox with its effect for this file. */
const option = (label: string, id: string, checked = false) => {
  const box = h('input', { type: 'checkbox', id, 'aria-describedby': `${id}-effect` })
  box.checked = checked
  const effect = h('span', { class: 'hint', id: `${id}-effect` })
  return { box, effect, part: h('p', { class: 'option' }, box, h('label', { for: id }, label), effect) }
}
