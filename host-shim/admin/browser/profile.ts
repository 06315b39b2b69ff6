// Offers the time zone of this browser on the profile, where another one is typed.
// It fills the field and saves nothing.
const field = document.getElementById('field-timezone');
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

if (field instanceof HTMLInputElement && zone && field.value !== zone) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain small';
  button.textContent = `Take the one of this browser: ${zone}`;
  button.addEventListener('click', () => {
    field.value = zone;
    button.remove();
    field.focus();
  });
  field.after(button);
}
