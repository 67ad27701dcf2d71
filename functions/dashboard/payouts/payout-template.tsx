import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { controls, Field, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Copyable, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { TemplateFile as Filled } from '../../../lib/payouts/files/files.rpc.ts'
import { TemplateFile } from '../../../lib/payouts/files/files.schemas.ts'
import type { TemplateCode } from '../../../lib/payouts/files/wise-template.ts'
import type { PayoutsService } from '../../../lib/payouts/payouts.rpc.ts'
import { findRun } from '../../../lib/payouts/runs/runs.queries.ts'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

type TemplateEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'templateFile'> } }

const WORDS: Record<TemplateCode, Message> = {
  no_column: m.payouts_template_no_column,
  recipient_not_found: m.payouts_no_saved_recipient,
  recipient_ambiguous: m.payouts_several_saved_recipients,
}

const LABELS = {
  template: m.payouts_template,
  currency: m.payouts_currency_payouts,
  sourceCurrency: m.payouts_currency_pay,
  part: m.payouts_part,
}

const Result = ({ file }: { file: Filled }) => (
  <section class="card">
    <h2>{t(m.file_column)}</h2>
    <p>{t(m.payouts_file_text, { count: file.payouts, code })}</p>
    <Copyable label={t(m.payouts_the_file)} text={file.text} />
    {file.unfilled.length > 0 && (
      <p class="hint">{t(m.payouts_unfilled_columns, { columns: file.unfilled.join(', ') })}</p>
    )}
    {file.leftOut.length > 0 && (
      <Table
        caption={t(m.payouts_not_in_this_file)}
        head={[t(m.reference_column), t(m.layout_reason)]}
      >
        {file.leftOut.map(({ reference, code }) => (
          <tr>
            <td>{reference}</td>
            <td>{t(WORDS[code])}</td>
          </tr>
        ))}
      </Table>
    )}
  </section>
)

type Props = {
  fields: Fields
  runPath: string
  errors?: ErrorDetail[]
  refused?: string
  file?: Filled
}

const TemplatePage = ({ fields, runPath, errors, refused, file }: Props) => {
  const control = controls(LABELS, { fields: { part: '1', ...fields }, errors })
  return (
    <>
      <h1>{t(m.payouts_wise_template)}</h1>
      <Problem message={refused} errors={errors} labels={LABELS} />
      {file && <Result file={file} />}
      <form method="post">
        <TextArea
          {...control('template')}
          hint={t(m.payouts_download_batch_template)}
          rows={8}
          required
        />
        <Field {...control('currency')} required maxlength={3} />
        <Field {...control('sourceCurrency')} hint={t(m.payouts_same_one_blank)} maxlength={3} />
        <Field {...control('part')} hint={t(m.payouts_rows_of_a_file)} />
        <Submit>{t(m.payouts_fill_in_template)}</Submit>
      </form>
      <LinkLine href={runPath}>{t(m.payouts_back_payout_run)}</LinkLine>
    </>
  )
}

const PATH = '/app/:workspace/payouts/runs/:id/wise-template'

const show = (
  c: Context<TemplateEnv>,
  props: Omit<Props, 'runPath'>,
  status: 200 | 400 | 409 = 200,
) => {
  const runPath = `/app/${c.var.workspace.slug}/payouts/runs/${c.req.param('id')}`
  const children = <TemplatePage {...props} runPath={runPath} />
  return renderSection(c, '/payouts', m.payouts_wise_template, children, status)
}

const runOf = (c: Context<TemplateEnv>) => readById(c, 'payout run', findRun)

/** A manual run as a Wise batch, in the columns of a template that the merchant pastes. */
export default createRoutes<TemplateEnv>()
  .get(PATH, async (c) => {
    await runOf(c)
    return show(c, { fields: c.req.query() })
  })
  .post(PATH, freshMembersOnly(), confirmedByPasskey(), expensive(), form(), async (c) => {
    const run = await runOf(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(TemplateFile, { part: undefined, ...fields })
    if (errors) return show(c, { fields, errors }, 400)
    const { actor, now, workspaceId } = actOf(c)
    const file = await rpc(
      'payouts',
      c.env.PAYOUTS.templateFile({
        ...{
          workspaceId,
          runId: run.id,
          actor,
          now,
          template: data.template,
          currency: data.currency,
        },
        ...{ sourceCurrency: data.sourceCurrency ?? null, part: data.part ?? 1 },
      }),
    )
    return 'refused' in file
      ? show(c, { fields, refused: file.refused }, 409)
      : show(c, { fields, file })
  })
