/**
 * The import page's script: reads a CSV in the browser, asks what its columns are, shows what the import would do,
 * and does it in calls that survive a closed tab. functions/dashboard/import.tsx is the page around it.
 */

import { counted } from '../lib/plural.ts'
import { check } from './import/check.ts'
import { askFile } from './import/choose.ts'
import { askColumns } from './import/columns.ts'
import { announce, button, byId, h, showStep } from './import/dom.ts'
import { bodyOf, callsOf, outcomesOf, rowCount, rowsOf, urlOf } from './import/plan.ts'
import { reportOf } from './import/report.ts'
import { countLostAnswers } from './import/rules/outcomes.ts'
import { runCalls } from './import/run.ts'
import { type Answer, discardJob, type Job, loadJob, saveAnswer, saveJob } from './import/store.ts'

const workspace = byId('import', HTMLElement).dataset.workspace ?? ''

/** A file, its columns, and a person's word that it is to be imported. */
const prepare = async (): Promise<Job> => {
  for (;;) {
    const file = await askFile()
    const program = byId('import-program', HTMLSelectElement)
    const programName = program.selectedOptions[0]?.textContent?.trim() ?? ''
    let columns = await askColumns(file, null)
    while (columns) {
      const job = await check(file, columns, { workspace, programId: program.value, programName })
      if (job) return job
      columns = await askColumns(file, columns)
    }
    showChoice()
  }
}

const showChoice = (): void => {
  byId('import-stage', HTMLElement).replaceChildren()
  const section = byId('import-choose', HTMLElement)
  section.hidden = false
  section.querySelector('h2')?.focus()
}

/** Imports what a job has left to import, and shows the result until the person has done with it. */
const runJob = async (job: Job, earlier: Answer[]): Promise<void> => {
  const rows = await rowsOf(job.file, job.columns)
  const calls = callsOf(rows, job.options.balances)
  // A newer version of this page may cut the calls otherwise. Then all of them are made: what is there is skipped.
  const fits =
    job.calls === calls.length && earlier.every((answer, n) => answer.length === calls[n]?.rows.length)
  const answers = await runCalls({
    title: `Importing into ${job.programName}`,
    calls,
    answered: fits ? earlier : [],
    url: (call) => urlOf(workspace, call),
    body: (call) => bodyOf(call, job.programId, job.options, false),
    // With one answer missing, the others would stand for the wrong calls: then rather none.
    keep: (call, answer) =>
      saveAnswer(workspace, call, answer).catch(() => discardJob(workspace).catch(() => {})),
  })
  if (!answers) return
  const outcomes = countLostAnswers(outcomesOf(rows, calls, answers), {
    partners: new Set(job.expected.partners),
    customers: new Set(job.expected.customers),
  })
  await new Promise<void>((resolve) => {
    showStep(
      'Imported',
      ...reportOf({
        file: job.file,
        columns: job.columns,
        outcomes,
        dryRun: false,
        withBalances: job.options.balances,
      }),
      h(
        'p',
        { class: 'actions' },
        h('a', { href: `/app/${workspace}/partners` }, 'See the partners'),
        button('Import another file', () => resolve(), 'quiet'),
      ),
    )
    announce('The import is done.')
  })
  await discardJob(workspace)
  byId('import-form', HTMLFormElement).reset()
  showChoice()
}

/** Asks what to do with an import that was begun earlier. */
const askResume = (job: Job, answers: Answer[], done: number, total: number): Promise<boolean> =>
  new Promise((resolve) => {
    const finished = answers.length >= job.calls
    showStep(
      finished ? 'Your last import is done' : 'An import is not finished',
      h(
        'p',
        {},
        `${job.file.name} into ${job.programName}: ${done.toLocaleString('en')} of ${counted(total, 'row')} imported.`,
      ),
      h(
        'p',
        { class: 'actions' },
        button(finished ? 'See the result' : 'Resume', () => resolve(true)),
        button(finished ? 'Forget it' : 'Discard the rest', () => resolve(false), 'quiet'),
      ),
    )
  })

const resumeEarlier = async (): Promise<void> => {
  // Where the browser keeps nothing (a private window), there is nothing to resume.
  const found = await loadJob(workspace).catch(() => null)
  if (!found) return
  const { job, answers } = found
  const calls = callsOf(await rowsOf(job.file, job.columns), job.options.balances)
  if (await askResume(job, answers, rowCount(calls.slice(0, answers.length)), rowCount(calls))) {
    return runJob(job, answers)
  }
  await discardJob(workspace)
  showChoice()
}

const start = async (): Promise<void> => {
  await resumeEarlier()
  for (;;) {
    const job = await prepare()
    await saveJob(job).catch(() => announce('This browser keeps nothing: leave this tab open until the end.'))
    await runJob(job, [])
  }
}

// Two tabs that run one import would write each other's answers over. The lock ends with the tab.
void navigator.locks.request(`tributary-import-${workspace}`, { ifAvailable: true }, async (lock) => {
  if (lock) return start()
  showStep(
    'An import of this workspace is open in another tab',
    h('p', {}, 'Go on there, or close it and load this page again.'),
  )
})
