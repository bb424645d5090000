llamafactory-cli train x.yaml
