/**
 * The import page's script. It reads a CSV file, maps its columns, previews the import, and runs it
 * in calls that a closed tab can resume. functions/dashboard/imports/import.tsx renders the page.
 */

import * as m from '../lib/languages/messages.ts'
import { check } from './import/check.ts'
import { actions, announce, button, byId, h, showStep } from './import/dom.ts'
import type { CsvFile } from './import/file.ts'
import { bodyOf, callsOf, outcomesOf, rowCount, rowsOf, settingOf, urlOf } from './import/plan.ts'
import { askFile } from './import/questions/choose.ts'
import { askColumns } from './import/questions/columns.ts'
import { programOf } from './import/questions/program.ts'
import { sitePart } from './import/questions/site.ts'
import { reportOf } from './import/report.ts'
import { type Mapping, recognise } from './import/rules/reading/columns.ts'
import type { Rows } from './import/rules/reading/records.ts'
import { rowsWith } from './import/rules/reading/statuses.ts'
import { balancesElsewhere } from './import/rules/warnings.ts'
import { runCalls } from './import/run.ts'
import { discardSource, type Reader } from './import/source/source.ts'
import { askSource } from './import/source/source-form.ts'
import { rewardsNote } from './import/source/source-notes.ts'
import { followSource, loadFile } from './import/source/source-progress.ts'
import { type Answer, discardJob, type Job, loadJob, saveAnswer, saveJob } from './import/store.ts'
import { t } from './text.ts'

const workspace = byId('import', HTMLElement).dataset.workspace ?? ''

/** Reads another platform by API, for the program of the form. */
const READER: Reader = {
  workspace,
  purpose: 'import',
  programId: () => {
    const program = byId('import-program', HTMLSelectElement)
    return program.reportValidity() ? program.value : null
  },
  programNameOf: ({ programId }) => programOf(programId)?.name,
}

/** Takes a file, or the rows of another platform. */
const takeFile = async (): Promise<CsvFile | null> => {
  const listening = new AbortController()
  const chosen = await Promise.race([askFile(listening), askSource(READER, listening)])
  listening.abort()
  if ('records' in chosen) return chosen
  byId('import-program', HTMLSelectElement).value = chosen.programId
  return followSource(READER, chosen, loadFile(workspace))
}

/** Takes a file, maps its columns and previews it, until the user confirms the import. */
const prepare = async (): Promise<Job> => {
  for (;;) {
    const file = await takeFile()
    const programId = byId('import-program', HTMLSelectElement).value
    const programName = programOf(programId)?.name ?? ''
    let mapping = file && (file.source ? mappingOf(file) : await askColumns(file, null))
    while (file && mapping) {
      const job = await check(file, mapping, { workspace, programId, programName })
      if (job) return job
      mapping = await askColumns(file, mapping)
    }
    showChoice()
  }
}

/** The mapping of another platform's rows, whose columns are known. */
const mappingOf = ({ headers }: CsvFile): Mapping => ({
  ...recognise(headers),
  inCents: true,
  zone: 'UTC',
})

/** Deletes a job, and the rows that were read for it. */
const forget = async ({ file }: Job): Promise<void> => {
  await discardJob(workspace)
  if (file.source) await discardSource(workspace, file.source.id)
}

const showChoice = (): void => {
  byId('import-stage', HTMLElement).replaceChildren()
  const section = byId('import-choose', HTMLElement)
  section.hidden = false
  section.querySelector('h2')?.focus()
}

const rowsToImport = async ({ file, mapping, options }: Job): Promise<Rows> =>
  rowsWith(await rowsOf(file, mapping), options.statuses)

/** Runs the remaining calls of a job, then shows the result until the user leaves it. */
const runJob = async (job: Job, earlier: Answer[]): Promise<void> => {
  const rows = await rowsToImport(job)
  const calls = callsOf(rows, job.options.balances)
  // A newer version of this page may split the calls differently. Then all calls are repeated, and
  // existing rows are skipped.
  const fits =
    job.calls === calls.length &&
    earlier.every(({ results }, n) => results.length === calls[n]?.rows.length)
  const answers = await runCalls({
    title: t(m.import_importing_into, { programName: job.programName }),
    calls,
    answered: fits ? earlier : [],
    first: settingOf(job),
    url: (call) => urlOf(workspace, call),
    body: (call) => bodyOf(call, job.programId, job.options, job.importId),
    // A missing response would shift the later ones to the wrong calls, so a failed write discards
    // all.
    keep: (call, answer) =>
      saveAnswer(workspace, call, answer).catch(() => discardJob(workspace).catch(() => {})),
  })
  if (!answers) return
  const outcomes = outcomesOf(rows, calls, answers)
  await new Promise<void>((resolve) => {
    showStep(
      t(m.import_complete),
      ...reportOf({
        file: job.file,
        mapping: job.mapping,
        outcomes,
        dryRun: false,
        withBalances: job.options.balances,
        elsewhere: balancesElsewhere(answers),
      }),
      ...rewardsNote(job.file.source?.rewards ?? 0, workspace),
      ...sitePart(job, outcomes, programOf(job.programId)),
      actions(
        h('a', { href: `/app/${workspace}/imports/${job.importId}` }, t(m.imports_report)),
        h('a', { href: `/app/${workspace}/partners` }, t(m.layout_view_partners)),
        button(t(m.import_another_file), () => resolve(), 'quiet'),
      ),
    )
    announce(t(m.import_is_complete))
  })
  await forget(job)
  byId('import-form', HTMLFormElement).reset()
  showChoice()
}

/** Asks whether to resume an earlier import. */
const askResume = (job: Job, answers: Answer[], done: number, total: number): Promise<boolean> =>
  new Promise((resolve) => {
    const finished = answers.length >= job.calls
    showStep(
      t(finished ? m.import_last_complete : m.import_unfinished),
      h(
        'p',
        {},
        t(m.import_rows_imported, {
          file: job.file.name,
          programName: job.programName,
          done,
          total,
        }),
      ),
      actions(
        button(t(finished ? m.import_view_result : m.import_resume_import), () => resolve(true)),
        button(
          t(finished ? m.import_another_file : m.import_discard_import),
          () => resolve(false),
          'quiet',
        ),
      ),
    )
  })

const resumeEarlier = async (): Promise<void> => {
  // Without storage, as in a private window, there is nothing to resume.
  const found = await loadJob(workspace).catch(() => null)
  if (!found) return
  const { job, answers } = found
  const calls = callsOf(await rowsToImport(job), job.options.balances)
  if (await askResume(job, answers, rowCount(calls.slice(0, answers.length)), rowCount(calls))) {
    return runJob(job, answers)
  }
  await forget(job)
  showChoice()
}

const start = async (): Promise<void> => {
  await resumeEarlier()
  for (;;) {
    const job = await prepare()
    await saveJob(job).catch(() => announce(t(m.import_cannot_save)))
    await runJob(job, [])
  }
}

// Two tabs running one import would overwrite each other's responses. The lock ends with the tab.
void navigator.locks.request(
  `tributary-import-${workspace}`,
  { ifAvailable: true },
  async (lock) => {
    if (lock) return start()
    showStep(t(m.import_open_elsewhere), h('p', {}, t(m.import_continue_elsewhere)))
  },
)
