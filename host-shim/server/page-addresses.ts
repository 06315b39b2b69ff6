import { ADMIN_PATH, pageAddress } from '../extension-api';

/** Redirects to the first page in the user's menu. */
export const FIRST_PAGE = `${ADMIN_PATH}/`;
export const LOGIN_PATH = '/wp-login.php';
export const AUTHORIZE_SLUG = 'authorize-application.php';
/** The page on which users approve an application and get a password for it. */
export const AUTHORIZE_PATH = pageAddress(AUTHORIZE_SLUG);
