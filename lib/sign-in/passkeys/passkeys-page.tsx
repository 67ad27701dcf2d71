/** The page of a person's passkeys. */

import { FRESH_HOURS } from '../../auth/fresh-sign-in.ts'
import * as m from '../../languages/messages.ts'
import { LinkButton } from '../../pages/forms/buttons.tsx'
import { Field } from '../../pages/forms/fields.tsx'
import { Done, Problem, Time } from '../../pages/layout/parts.tsx'
import { t } from '../../pages/layout/text.ts'
import { LinkInstead, PasskeyButton, PasskeyProblem } from '../../pages/parts/passkeys.tsx'
import { hidden, linkTo } from '../../pages/parts/tags.tsx'
import { Table, TimeCell } from '../../pages/tables/table.tsx'
import {
  MAX_PASSKEY_NAME,
  MAX_PASSKEYS,
  PASSKEY_WAIT_HOURS,
  type Passkey,
  passkeyStateOf,
} from './passkeys.ts'

type Props = {
  passkeys: Passkey[]
  now: Date
  /** Whether passkeys can be added and removed. */
  isFresh: boolean
  /** Whether a passkey has confirmed recently, so that a new one counts immediately. */
  isConfirmed: boolean
  /** The suggested name of a new passkey. */
  name: string
  problem?: string | undefined
  done?: string | undefined
}

const Row = ({ passkey, now, isFresh }: { passkey: Passkey } & Pick<Props, 'now' | 'isFresh'>) => {
  const { id, name, createdAt, countsFrom, usedAt } = passkey
  return (
    <tr>
      <td>{name}</td>
      <TimeCell at={createdAt} />
      <td>{usedAt ? <Time at={usedAt} /> : t(m.passkey_unused)}</td>
      <td>
        {countsFrom <= now
          ? t(m.passkey_confirms_now)
          : t(m.passkey_confirms_from, { time: () => <Time at={countsFrom} /> })}
      </td>
      <td>
        {isFresh && (
          <form method="post" action="/auth/passkeys/remove">
            <input type="hidden" name="passkey" value={id} />
            <LinkButton>{t(m.passkey_remove, { name, hidden })}</LinkButton>
          </form>
        )}
      </td>
    </tr>
  )
}

const AddForm = ({ name, isConfirmed }: Pick<Props, 'name' | 'isConfirmed'>) => (
  <form method="post" action="/auth/passkeys/add">
    <Field
      label={t(m.passkey_name)}
      name="name"
      hint={
        isConfirmed
          ? t(m.passkey_at_once)
          : t(m.passkey_waits, { hours: String(PASSKEY_WAIT_HOURS) })
      }
      value={name}
      maxlength={MAX_PASSKEY_NAME}
      autocomplete="off"
      required
    />
    <input type="hidden" name="response" />
    <p class="actions">
      <button type="submit" data-passkey="add">
        {t(m.passkey_add)}
      </button>
    </p>
    <PasskeyProblem failed={t(m.passkey_not_made)} />
  </form>
)

export const PasskeysPage = ({
  passkeys,
  now,
  isFresh,
  isConfirmed,
  name,
  problem,
  done,
}: Props) => {
  const canConfirm = passkeyStateOf(passkeys, now) === 'counts'
  return (
    <>
      <h1>{t(m.passkeys_title)}</h1>
      <Done message={done} />
      <Problem message={problem} />
      <p>{t(m.passkeys_intro)}</p>
      {passkeys.length === 0 ? (
        <p>{t(m.passkeys_none)}</p>
      ) : (
        <Table
          caption={t(m.your_passkeys)}
          head={[
            t(m.passkey_name),
            t(m.passkey_added_column),
            t(m.last_used_column),
            t(m.passkey_confirms),
            t(m.action_column),
          ]}
        >
          {passkeys.map((passkey) => (
            <Row {...{ passkey, now, isFresh }} />
          ))}
        </Table>
      )}
      {!isFresh && <p>{t(m.passkeys_stale, { hours: String(FRESH_HOURS) })}</p>}
      {canConfirm && !isConfirmed && (
        <form method="get" action="/auth/passkeys">
          <input type="hidden" name="done" value="confirmed" />
          <PasskeyButton />
        </form>
      )}
      {!isFresh && <LinkInstead next="/auth/passkeys" />}
      {isFresh && passkeys.length < MAX_PASSKEYS && (
        <>
          <h2>{t(m.passkey_new)}</h2>
          <AddForm {...{ name, isConfirmed }} />
        </>
      )}
      <p class="hint">{t(m.passkey_lost)}</p>
      <p>{t(m.sessions_go_to, { workspaces: linkTo('/app'), portal: linkTo('/portal') })}</p>
    </>
  )
}
