sed -i 's/a/b/' notes.txt
