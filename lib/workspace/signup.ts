/** Who may create a workspace. */

export type SignupBindings = { ALLOW_SIGNUP?: string }

/** Closed, unless ALLOW_SIGNUP is exactly "true". The first workspace of an installation is always allowed. */
export const isSignupOpen = ({ ALLOW_SIGNUP }: SignupBindings): boolean => ALLOW_SIGNUP === 'true'

/** With open sign-up, the workspaces that one person may create. */
export const MAX_WORKSPACES_EACH = 3

const SIGNUP_CLOSED =
  'Sign-up is closed on this installation. Ask its operator for a workspace, or a manager for an invitation.'

const WORKSPACE_LIMIT = `You have created ${MAX_WORKSPACES_EACH} workspaces, which is the limit. Ask a manager of another workspace for an invitation.`

/** Why somebody may not create a workspace. */
export const refusalOf = (isOpen: boolean): string => (isOpen ? WORKSPACE_LIMIT : SIGNUP_CLOSED)

export const slugTaken = (slug: string) => `The slug "${slug}" is taken. Choose another.`
