/** The running import, stored in IndexedDB so that a closed tab can resume it. */

import type { CustomerResult } from '../../lib/imports/customers/customer-import.ts'
import type { FormOfLinks } from '../../lib/imports/partners/former-links.ts'
import type {
  PartnerImportWarning,
  PartnerResult,
} from '../../lib/imports/partners/partner-import.ts'
import type { CsvFile } from './file.ts'
import type { GroupChoices } from './rules/groups.ts'
import type { Mapping } from './rules/reading/columns.ts'
import type { StatusKind } from './rules/reading/statuses.ts'

/**
 * @property completeExisting whether existing partners without an opening balance get theirs
 * @property statuses which partners to import in addition to active ones
 * @property creditKnown whether the program credits reported sales of known customers from now on
 * @property linkForms whether links of the former platform work, by their form
 * @property groups which group the partners of each group of the file join
 * @property keepOwners whether customers of other partners keep them
 */
export type Options = {
  mails: boolean
  balances: boolean
  completeExisting: boolean
  statuses: StatusKind[]
  linkForms: Record<string, boolean>
  groups: GroupChoices
  keepOwners: boolean
  creditKnown: boolean
}

/**
 * Everything that determines the calls. The same job makes the same calls, and the server runs each
 * once.
 */
export type Job = {
  importId: string
  workspace: string
  programId: string
  programName: string
  file: CsvFile
  mapping: Mapping
  options: Options
  calls: number
}

/** The response to one call: a result per row, and warnings about all of them. */
export type Answer = {
  results: (PartnerResult | CustomerResult)[]
  warnings?: PartnerImportWarning[]
  /** Of a dry run. */
  linkForms?: FormOfLinks[]
}

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('tributary-import', 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('jobs')
      request.result.createObjectStore('answers')
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Runs one transaction, and returns its request's result once it has committed. */
const transact = async <Result>(
  mode: IDBTransactionMode,
  work: (jobs: IDBObjectStore, answers: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> => {
  const database = await open()
  try {
    return await new Promise<Result | undefined>((resolve, reject) => {
      const transaction = database.transaction(['jobs', 'answers'], mode)
      const request = work(transaction.objectStore('jobs'), transaction.objectStore('answers'))
      transaction.oncomplete = () => resolve(request?.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}

/** The key range of a workspace's responses. */
const answersOf = (workspace: string) =>
  IDBKeyRange.bound([workspace, 0], [workspace, Number.MAX_SAFE_INTEGER])

/** The workspace's import in this browser, if any. */
export const loadJob = async (
  workspace: string,
): Promise<{ job: Job; answers: Answer[] } | null> => {
  const job: Job | undefined = await transact('readonly', (jobs) => jobs.get(workspace))
  if (!job) return null
  const found = await transact<Answer[]>('readonly', (_, answers) =>
    answers.getAll(answersOf(workspace)),
  )
  return { job, answers: found ?? [] }
}

/** Saves a new job, replacing an earlier one. */
export const saveJob = async (job: Job): Promise<void> => {
  await transact('readwrite', (jobs, answers) => {
    jobs.put(job, job.workspace)
    answers.delete(answersOf(job.workspace))
    return undefined
  })
}

/** Saves the response to one call. */
export const saveAnswer = async (
  workspace: string,
  call: number,
  answer: Answer,
): Promise<void> => {
  await transact('readwrite', (_, answers) => answers.put(answer, [workspace, call]))
}

/** Deletes the workspace's import. */
export const discardJob = async (workspace: string): Promise<void> => {
  await transact('readwrite', (jobs, answers) => {
    jobs.delete(workspace)
    answers.delete(answersOf(workspace))
    return undefined
  })
}
