/** Makes the files of manual runs. Only the payouts Worker can decrypt the partners' details. */

import { auditEntry } from '../../audit/audit.queries.ts'
import { connect } from '../../db/connection.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import { type Payer, readPayer } from '../details/payers.queries.ts'
import type { PaymentDetails } from '../details/payment-details.ts'
import type { Refused } from '../payouts.rpc.ts'
import { findRun } from '../runs/runs.queries.ts'
import { exportRefusalOf } from '../runs/runs.ts'
import { listFileLines, listKinds, type SealedLine } from './files.queries.ts'
import type { BankFile, BankFileRequest, TemplateFile, TemplateRequest } from './files.rpc.ts'
import { type FileLine, partsOf, type TakerFormat, takes } from './formats.ts'
import { paypalFile } from './paypal.ts'
import { sepaFile } from './sepa.ts'
import { wiseFile } from './wise.ts'
import { readWiseTemplate, unfilledColumns, wiseTemplateFile } from './wise-template.ts'

export type FilesEnv = DatabaseEnv & { SECRETS_KEY: string }

const NO_DEBTOR =
  'A SEPA file names who pays. Add the name and IBAN of your company on the page Business details first.'

type Line = FileLine<PaymentDetails>
type Selection = {
  workspaceId: string
  runId: string
  format: TakerFormat
  currency: string
  part: number
}

/** The payouts of a part of a file, with their details. */
const readLines = async (env: FilesEnv, selection: Selection): Promise<Line[] | Refused> => {
  const { workspaceId, runId, format, currency, part } = selection
  const db = connect(env)
  const run = await findRun(db, workspaceId, runId)
  const refusal = run ? exportRefusalOf(run) : 'There is no such run.'
  if (refusal) return { refused: refusal }
  const kinds = (await listKinds(db, workspaceId, runId)).filter(
    (kind) => kind.currency === currency && takes(format, kind),
  )
  const parts = partsOf(
    format,
    kinds.reduce((sum, { payouts }) => sum + payouts, 0),
  )
  if (part > parts) return { refused: 'This run has no such file: see the files on its page.' }
  const sealed = await listFileLines(db, workspaceId, runId, { format, kinds, part })
  return openLines(env, workspaceId, sealed)
}

const openLines = async (
  env: FilesEnv,
  workspaceId: string,
  sealed: SealedLine[],
): Promise<Line[] | Refused> => {
  const lines: Line[] = []
  for (const line of sealed) {
    const opened = await decryptSecret(env.SECRETS_KEY, workspaceId, line.details)
    if (!opened)
      return {
        refused: `The details of ${line.reference} can’t be decrypted. Its partner must enter them again.`,
      }
    lines.push({ ...line, details: JSON.parse(opened) as PaymentDetails })
  }
  return lines
}

/** The lines of these methods, by which their file has selected them. */
const of = <M extends PaymentDetails['method']>(lines: Line[], ...methods: M[]) =>
  lines.filter((line): line is FileLine<Extract<PaymentDetails, { method: M }>> =>
    methods.some((method) => line.details.method === method),
  )

const write = (request: BankFileRequest, lines: Line[], payer: Payer): string | Refused => {
  const { format, runId, part, now } = request
  switch (format) {
    case 'paypal':
      return paypalFile(of(lines, 'paypal'), payer.name, request.decimal)
    case 'wise':
      return wiseFile(of(lines, 'wise'), request.sourceCurrency)
    case 'sepa': {
      if (!payer.iban) return { refused: NO_DEBTOR }
      const id = `${runId.replaceAll('-', '')}-${part}`
      return sepaFile(
        id,
        { name: payer.name, iban: payer.iban },
        of(lines, 'iban'),
        payer.name,
        now,
      )
    }
  }
}

const openPayer = async (env: FilesEnv, workspaceId: string): Promise<Payer> => {
  const { ibanCiphertext, ...payer } = await readPayer(connect(env), workspaceId)
  const iban = ibanCiphertext && (await decryptSecret(env.SECRETS_KEY, workspaceId, ibanCiphertext))
  return { ...payer, iban: iban || null }
}

/** Records who received the details of partners. */
const recordExport = (
  env: FilesEnv,
  request: Selection & { actor: string; now: Date },
  payouts: number,
) => {
  const { workspaceId, runId, actor, now, format, currency, part } = request
  return auditEntry(connect(env), {
    workspaceId,
    actor,
    now,
    action: 'payout_run.exported',
    subjectId: runId,
    details: { format, currency, part, payouts },
  }).execute()
}

/** One part of a file for a bank or a service. */
export const makeBankFile = async (
  env: FilesEnv,
  request: BankFileRequest,
): Promise<BankFile | Refused> => {
  const lines = await readLines(env, request)
  if ('refused' in lines) return lines
  const text = write(request, lines, await openPayer(env, request.workspaceId))
  if (typeof text !== 'string') return text
  await recordExport(env, request, lines.length)
  return { text, payouts: lines.length }
}

/** One part of a file in the columns of a pasted template of Wise. */
export const fillTemplate = async (
  env: FilesEnv,
  request: TemplateRequest,
): Promise<TemplateFile | Refused> => {
  const template = readWiseTemplate(request.template)
  if ('refused' in template) return template
  const selection = { ...request, format: 'wise_template' as const }
  const lines = await readLines(env, selection)
  if ('refused' in lines) return lines
  const file = wiseTemplateFile(template, of(lines, 'iban', 'wise'), request.sourceCurrency)
  await recordExport(env, selection, file.rows)
  return {
    text: file.text,
    payouts: file.rows,
    unfilled: unfilledColumns(template),
    leftOut: file.leftOut.map(({ line, code }) => ({
      id: line.id,
      partnerId: line.partnerId,
      reference: line.reference,
      code,
    })),
  }
}
