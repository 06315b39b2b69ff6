// Offers the browser's time zone if the field has a different one.
const field = document.getElementById('field-timezone');
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

if (field instanceof HTMLInputElement && zone && field.value !== zone) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain small';
  button.textContent = `Use this browser's: ${zone}`;
  button.addEventListener('click', () => {
    field.value = zone;
    button.remove();
    field.focus();
  });
  field.after(button);
}
