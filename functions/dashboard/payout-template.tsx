import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Field } from '../../lib/pages/fields.tsx'
import { freshManagersOnly } from '../../lib/pages/fresh-sign-in.tsx'
import { Copyable, Problem, Table } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import type { TemplateFile as Filled } from '../../lib/payouts/files/files.rpc.ts'
import { TemplateFile } from '../../lib/payouts/files/files.schemas.ts'
import type { TemplateCode } from '../../lib/payouts/files/wise-template.ts'
import type { PayoutsService } from '../../lib/payouts/payouts.rpc.ts'
import { findRun } from '../../lib/payouts/runs.queries.ts'
import { counted } from '../../lib/plural.ts'

type TemplateEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'templateFile'> } }

const WORDS: Record<TemplateCode, string> = {
  no_column: 'The template has no column for this partner’s details',
  recipient_not_found: 'No saved recipient of the template has this partner’s details',
  recipient_ambiguous: 'Several saved recipients of the template have this partner’s details',
}

const LABELS = {
  template: 'Template',
  currency: 'Currency of the payouts',
  sourceCurrency: 'Currency that you pay in',
}

const Result = ({ file }: { file: Filled }) => (
  <section class="card">
    <h2>File</h2>
    <p>
      {counted(file.payouts, 'payout')}. Save this text as a file that ends in <code>.csv</code>, and upload
      it to Wise.
    </p>
    <Copyable label="the file" text={file.text} />
    {file.unfilled.length > 0 && (
      <p class="hint">Empty columns, which Wise may ask for: {file.unfilled.join(', ')}.</p>
    )}
    {file.leftOut.length > 0 && (
      <Table caption="Payouts that are not in the file" head={['Reference', 'Reason']}>
        {file.leftOut.map(({ reference, code }) => (
          <tr>
            <td>{reference}</td>
            <td>{WORDS[code]}</td>
          </tr>
        ))}
      </Table>
    )}
  </section>
)

type Props = { fields: Fields; runPath: string; errors?: ErrorDetail[]; refused?: string; file?: Filled }

const TemplatePage = ({ fields, runPath, errors, refused, file }: Props) => (
  <>
    <h1>Wise template</h1>
    <Problem message={refused} errors={errors} labels={LABELS} />
    {file && <Result file={file} />}
    <form method="post">
      <div class="field">
        <label for="template">{LABELS.template}</label>
        <p class="hint" id="template-hint">
          Download a batch template from Wise as CSV, and paste all of it here. One for saved recipients needs
          its rows. Nothing of it is stored.
        </p>
        <textarea id="template" name="template" rows={8} required aria-describedby="template-hint">
          {fields.template ?? ''}
        </textarea>
      </div>
      <Field
        label={LABELS.currency}
        name="currency"
        value={fields.currency}
        errors={errors}
        required
        maxlength={3}
      />
      <Field
        label={LABELS.sourceCurrency}
        name="sourceCurrency"
        hint="The same one, if blank."
        value={fields.sourceCurrency}
        errors={errors}
        maxlength={3}
      />
      <Field
        label="Part"
        name="part"
        hint="A file has at most 1,000 rows."
        value={fields.part ?? '1'}
        errors={errors}
      />
      <p>
        <button type="submit">Fill in template</button>
      </p>
    </form>
    <p>
      <a href={runPath}>Back to the payout run</a>
    </p>
  </>
)

const PATH = '/app/:workspace/payouts/runs/:id/wise-template'

const show = (c: Context<TemplateEnv>, props: Omit<Props, 'runPath'>, status: 200 | 400 | 409 = 200) => {
  const runPath = `/app/${c.var.workspace.slug}/payouts/runs/${c.req.param('id')}`
  const children = <TemplatePage {...props} runPath={runPath} />
  return renderPage(c, { title: 'Wise template', section: '/payouts', children }, status)
}

/** The run of the URL. @throws {ApiError} `not_found` */
const runOf = (c: Context<TemplateEnv>) =>
  found('payout run', c.req.param('id') ?? '', (id) => findRun(c.var.db, c.var.workspace.id, id))

/** A manual run as a Wise batch, in the columns of a template that the merchant pastes. */
export default createRoutes<TemplateEnv>()
  .get(PATH, managersOnly(), async (c) => {
    await runOf(c)
    return show(c, { fields: c.req.query() })
  })
  .post(PATH, freshManagersOnly(), form(), async (c) => {
    const run = await runOf(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(TemplateFile, { part: undefined, ...fields })
    if (errors) return show(c, { fields, errors }, 400)
    const { actor, now, workspaceId } = actOf(c)
    const file = await rpc(
      'payouts',
      c.env.PAYOUTS.templateFile({
        ...{ workspaceId, runId: run.id, actor, now, template: data.template, currency: data.currency },
        ...{ sourceCurrency: data.sourceCurrency ?? null, part: data.part ?? 1 },
      }),
    )
    return 'refused' in file ? show(c, { fields, refused: file.refused }, 409) : show(c, { fields, file })
  })
