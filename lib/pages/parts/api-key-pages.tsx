import type { ErrorDetail } from '../../http/errors.ts'
import * as m from '../../languages/messages.ts'
import type { ApiKey } from '../../tenancy/keys/api-keys.queries.ts'
import { OVERLAPS } from '../../tenancy/keys/api-keys.ts'
import { ConfirmForm } from '../forms/buttons.tsx'
import { controls, Select } from '../forms/fields.tsx'
import { Copyable, LinkLine, Problem } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { strong } from './tags.tsx'

type CreatedKeyPageProps = { base: string; name: string; secret: string }

export const CreatedKeyPage = ({ base, name, secret }: CreatedKeyPageProps) => (
  <>
    <h1>{t(m.keys_new)}</h1>
    <div class="done" role="status">
      <p>{t(m.keys_created_notice, { name, strong })}</p>
    </div>
    <Copyable label={t(m.keys_the_key)} text={secret} />
    <p>{t(m.keys_if_lost)}</p>
    <LinkLine href={base}>{t(m.keys_back)}</LinkLine>
  </>
)

const OVERLAP_CHOICES = [
  { value: '0', label: m.keys_at_once },
  { value: '1', label: m.keys_after_hour },
  { value: '24', label: m.keys_after_day },
  { value: '168', label: m.keys_after_week },
]

type RotateKeyPageProps = { base: string; apiKey: ApiKey; errors?: ErrorDetail[] | undefined }

export const RotateKeyPage = ({ base, apiKey, errors }: RotateKeyPageProps) => {
  const labels = { overlapHours: t(m.keys_former_ends) }
  const control = controls(labels, { fields: { overlapHours: `${OVERLAPS.default}` }, errors })
  return (
    <>
      <h1>{t(m.keys_rotate_heading, { name: apiKey.name })}</h1>
      <Problem errors={errors} labels={labels} />
      <p>{t(m.keys_rotate_effect)}</p>
      <form method="post">
        <Select {...control('overlapHours')} options={OVERLAP_CHOICES} />
        <p>
          <button type="submit">{t(m.keys_rotate_button)}</button> <a href={base}>{t(m.cancel)}</a>
        </p>
      </form>
    </>
  )
}

export const RevokeKeyPage = ({ base, apiKey }: { base: string; apiKey: ApiKey }) => (
  <>
    <h1>{t(m.keys_revoke_heading, { name: apiKey.name })}</h1>
    <p>{t(m.keys_revoke_effect)}</p>
    <ConfirmForm button={t(m.keys_revoke_button)} cancel={base} />
  </>
)
